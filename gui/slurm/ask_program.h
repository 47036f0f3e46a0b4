// One call of a program of Slurm's, ten seconds at most. Any thread.
#pragma once

#include <string>
#include <vector>

#include "gui/launch/child.h"
#include "protocol/base/result.h"

namespace ringside::slurm {

/// What it printed; fails with what it complained about. `program`: found in PATH, or a path.
Result<std::string> ask_program(const std::string& program, std::vector<std::string> words,
                                const launch::Cancelled& cancelled = {},
                                const std::vector<std::string>& environment = {});

}  // namespace ringside::slurm
