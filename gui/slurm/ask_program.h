// Calls one of Slurm's programs, for up to ten seconds unless the caller allows more. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/launch/child.h"
#include "protocol/base/result.h"

namespace ringside::slurm {

inline constexpr std::int64_t kAnswerNs = 10'000'000'000;

/// The program's output whatever its exit code; `complaint_of` is empty if it succeeded.
Result<launch::CapturedSoFar> call_program(const std::string& program,
                                           std::vector<std::string> words,
                                           const launch::Cancelled& cancelled,
                                           const std::vector<std::string>& environment,
                                           std::int64_t limit_ns);
/// Error message such as "sbatch: invalid partition", or why the program was killed.
std::string complaint_of(const std::string& program, const launch::CapturedSoFar& answer);

/// The program's output; fails with its error message. `program`: name in PATH, or a path.
/// `environment`: as for launch::capture.
Result<std::string> ask_program(const std::string& program, std::vector<std::string> words,
                                const launch::Cancelled& cancelled = {},
                                const std::vector<std::string>& environment = {},
                                std::int64_t limit_ns = kAnswerNs);

}  // namespace ringside::slurm
