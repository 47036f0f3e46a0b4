// The numbers that copied runs have on their own machine, in a small file beside the copies.
// Counting the copies would give other numbers, since not all runs are copied and deleted ones are
// missing. Any thread.
#pragma once

#include <filesystem>
#include <map>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"

namespace ringside::runs {

using RunNumbers = std::map<RunId, int>;

/// The run numbers of the machine that the runs in this folder were copied from; empty if they are
/// not copies or no numbers were received.
RunNumbers copied_numbers(const std::filesystem::path& runs_dir);

/// Merges the received numbers into the stored ones. With `all`, the list was complete: runs that
/// are not in it are dropped unless their copy is still here.
Result<void> keep_copied_numbers(const std::filesystem::path& runs_dir, const RunNumbers& told,
                                 bool all);

}  // namespace ringside::runs
