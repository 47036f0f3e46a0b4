// The runs that a runs folder has had: a small file beside them, appended to when one has started
// or was copied in, so that the numbers of the others stay when its folder goes. Any thread and
// process.
#pragma once

#include <filesystem>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::runlog {

struct NotedRun {
  RunId id;
  RunId turn;  ///< sort key: the id, or one made of the time at which it was imported
};

/// Notes a run. Numbers move without the file when a folder goes; so a failure is none of the
/// run's.
void note_run(const std::filesystem::path& runs_dir, const NotedRun& run);

/// Lines of another form are left out.
std::vector<NotedRun> noted_runs(const std::filesystem::path& runs_dir);

}  // namespace ringside::runlog
