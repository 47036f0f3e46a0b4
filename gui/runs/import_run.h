// Copies a run folder from elsewhere, such as another machine, into the runs folder: completely or
// not at all. Only plain files and folders are copied, not links and not the files of a live agent.
// Reads and writes files, may take long; any thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

/// Whether a file belongs to an agent and its machine (its keys, locks and reserved space) and so
/// is not copied. `path` is relative to the run folder.
bool stays_behind(std::string_view path);

/// Returns the new folder, which keeps the id of the run. Returns a bad request if `source` is not
/// a run folder, is incomplete, was written by a newer version, is of a run that has not ended, or
/// is in the list already. Setting `cancel` ends the copying and deletes what was copied so far.
Result<runlog::RunFolder> import_run(const std::filesystem::path& runs_dir,
                                     const std::filesystem::path& source,
                                     const std::atomic<bool>& cancel);

}  // namespace ringside::runs
