// The menu of a row in the list of runs. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/view/menu.h"
#include "gui/view/runs/runs_view.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kRename = "Rename…";
inline constexpr const char* kTags = "Tags…";
inline constexpr const char* kStar = "Star";
inline constexpr const char* kUnstar = "Take the star off";
}  // namespace label

/// Returns whether the run has ended, since an active run cannot be deleted.
bool can_delete(RunOutcome outcome);

/// Builds the menu; Rename and Tags first ask for a text. `elsewhere`: the run is a copy from
/// another machine and is read-only.
Menu run_menu(const RunSummary& run, const RunsChoice& choice, bool elsewhere);

/// Returns the runs whose tags are edited: all marked ones if this run is marked, else this one.
std::vector<std::string> tagged_ids(const std::string& id, const RunsChoice& choice);

/// Returns the title "Tags of run #12" or "Tags of 3 marked runs".
std::string tags_title(std::span<const RunSummary> runs, const std::vector<std::string>& ids);

}  // namespace ringside::view
