// Deleting a study means moving its file to studies/.deleted, from where it can be taken back; its
// runs stay, or go to the trash of runs with it. Files only; any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "gui/runs/studies/study.h"
#include "protocol/base/ids.h"

namespace ringside::runs {

/// The runs that may be deleted with a study: those that it started and that no other study
/// contains, if they still exist, runs that were left out of it included.
Result<std::vector<RunId>> own_runs(const std::filesystem::path& runs_dir, std::string_view name);

/// Moves a study and the runs `with` it to the trash, all or none. Returns the new path of its
/// file. A bad request while one of its runs is active, or while another program starts or stops
/// it.
Result<std::filesystem::path> trash_study(const std::filesystem::path& runs_dir,
                                          std::string_view name, const std::vector<RunId>& with);

/// Takes it back, and these runs out of the trash: all that can be, and the first failure.
Result<void> restore_study(const std::filesystem::path& runs_dir, std::string_view name,
                           const std::vector<RunId>& with);

/// The runs of a deleted study that lie in the trash.
Result<std::vector<RunId>> trashed_runs(const std::filesystem::path& runs_dir,
                                        std::string_view name);

}  // namespace ringside::runs
