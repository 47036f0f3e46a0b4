// The numbers that copies of another machine's runs have there, in a small file beside them:
// counted here they would differ, since the copies are neither all runs nor those deleted. Any
// thread.
#pragma once

#include <filesystem>
#include <map>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"

namespace ringside::runs {

using RunNumbers = std::map<RunId, int>;

/// Empty: the runs in this folder are not copies, or nobody has told.
RunNumbers copied_numbers(const std::filesystem::path& runs_dir);

/// Keeps what is new of them beside what is known. `all` of them were told: others stay only where
/// their copy does.
Result<void> keep_copied_numbers(const std::filesystem::path& runs_dir, const RunNumbers& told,
                                 bool all);

}  // namespace ringside::runs
