// What can be done with a run of the list, as the menu of its row. Pure.
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

/// Not while it goes on.
bool can_delete(RunOutcome outcome);

/// Rename and Tags ask for a text first. `elsewhere`: it is a copy of one of another machine, where
/// nothing can be written.
Menu run_menu(const RunSummary& run, const RunsChoice& choice, bool elsewhere);

/// The runs that Tags is about: all marked ones where the run is one of them, else itself.
std::vector<std::string> tagged_ids(const std::string& id, const RunsChoice& choice);

/// "Tags of run #12", "Tags of 3 marked runs".
std::string tags_title(std::span<const RunSummary> runs, const std::vector<std::string>& ids);

}  // namespace ringside::view
