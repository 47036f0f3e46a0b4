// Copies a run folder from elsewhere, such as another machine, into the runs folder: whole or not
// at all. Only plain files and folders are taken; links, and what belongs to a living agent, stay
// behind. Reads and writes files, may take long; any thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

/// Whether a file in a run folder, by its path there, belongs to an agent and its machine (its
/// keys, locks and reserved space) and so is not copied.
bool stays_behind(std::string_view path);

/// Returns the new folder, which keeps the id of the run. A bad request for what is not a run
/// folder, half copied, of a newer version, still going on, or in the list already. With `leave`
/// set it stops and takes away what it had copied.
Result<runlog::RunFolder> import_run(const std::filesystem::path& runs_dir,
                                     const std::filesystem::path& source,
                                     const std::atomic<bool>& leave);

}  // namespace ringside::runs
