// Deleting a study moves its file to studies/.deleted, from where it can be restored; its runs
// stay, or go to the trash of runs with it. Files only; any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "gui/runs/studies/study.h"
#include "protocol/base/ids.h"

namespace ringside::runs {

/// The existing runs that may be deleted with a study: those that it started, left-out ones
/// included, and that no other study contains.
Result<std::vector<RunId>> own_runs(const std::filesystem::path& runs_dir, std::string_view name);

/// Moves a study and the runs `with` it to the trash, all or none. Returns the new path of its
/// file. Returns a bad request while one of its runs is active, or while another program starts or
/// stops it.
Result<std::filesystem::path> trash_study(const std::filesystem::path& runs_dir,
                                          std::string_view name, const std::vector<RunId>& with);

/// Restores the study and these runs from the trash; returns the first failure after trying all.
Result<void> restore_study(const std::filesystem::path& runs_dir, std::string_view name,
                           const std::vector<RunId>& with);

/// The runs of a deleted study that are in the trash.
Result<std::vector<RunId>> trashed_runs(const std::filesystem::path& runs_dir,
                                        std::string_view name);

}  // namespace ringside::runs
