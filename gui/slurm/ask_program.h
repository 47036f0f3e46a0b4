// One call of a program of Slurm's, ten seconds at most where nobody gives it more. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/launch/child.h"
#include "protocol/base/result.h"

namespace ringside::slurm {

inline constexpr std::int64_t kAnswerNs = 10'000'000'000;

/// The output of the program whatever its exit code was; `complaint_of` is empty if it succeeded.
Result<launch::CapturedSoFar> call_program(const std::string& program,
                                           std::vector<std::string> words,
                                           const launch::Cancelled& cancelled,
                                           const std::vector<std::string>& environment,
                                           std::int64_t limit_ns);
/// "sbatch: invalid partition", or why it was killed.
std::string complaint_of(const std::string& program, const launch::CapturedSoFar& answer);

/// What it printed; fails with what it complained about. `program`: found in PATH, or a path.
/// `environment`: as of launch::capture.
Result<std::string> ask_program(const std::string& program, std::vector<std::string> words,
                                const launch::Cancelled& cancelled = {},
                                const std::vector<std::string>& environment = {},
                                std::int64_t limit_ns = kAnswerNs);

}  // namespace ringside::slurm
