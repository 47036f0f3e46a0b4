// Deleting a run means moving its folder into .trash of the runs folder, where it keeps its number
// and from where it can be taken back. Files only; any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "gui/runs/find_run.h"

namespace ringside::runs {

std::filesystem::path trash_dir(const std::filesystem::path& runs_dir);

/// Returns where the folder lies now. A bad request while the run's agent lives, or may live on
/// another machine, or for a folder that lies elsewhere.
Result<std::filesystem::path> move_to_trash(const std::filesystem::path& runs_dir,
                                            const runlog::RunFolder& folder);

/// Takes the run of that id back.
Result<void> take_from_trash(const std::filesystem::path& runs_dir, const RunId& id);

/// Ids that lie in the trash, ascending.
std::vector<RunId> trashed(const std::filesystem::path& runs_dir);

}  // namespace ringside::runs
