// List of all runs that a runs folder has ever had, in a small file. A line is appended when a run
// is started or copied in, so that the numbers of other runs do not change when a run folder is
// deleted. Any thread and process.
#pragma once

#include <filesystem>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::runlog {

struct NotedRun {
  RunId id;
  RunId turn;  ///< sort key: the id, or one derived from the time of the import
};

/// Adds a run to the list. Without the list, runs only lose their stable numbers, so a failure is
/// not an error of the run.
void note_run(const std::filesystem::path& runs_dir, const NotedRun& run);

/// Lines in another format are skipped.
std::vector<NotedRun> noted_runs(const std::filesystem::path& runs_dir);

}  // namespace ringside::runlog
