// Deleting a run moves its folder to .trash in the runs folder, where it keeps its number and from
// where it can be restored. Files only; any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "gui/runs/find_run.h"

namespace ringside::runs {

std::filesystem::path trash_dir(const std::filesystem::path& runs_dir);

/// Returns the new path of the folder. Returns a bad request while the run's agent is alive, or may
/// be alive on another machine, and for a folder that is not in the runs folder.
Result<std::filesystem::path> move_to_trash(const std::filesystem::path& runs_dir,
                                            const runlog::RunFolder& folder);

/// Restores the run with that id.
Result<void> take_from_trash(const std::filesystem::path& runs_dir, const RunId& id);

/// Ids of the runs in the trash, ascending.
std::vector<RunId> trashed(const std::filesystem::path& runs_dir);

}  // namespace ringside::runs
