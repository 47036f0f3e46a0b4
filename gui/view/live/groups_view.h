// The Groups tab with the collectives of ranks: the device mesh as a grid of ranks, the table of
// groups with those of one dimension folded into one row, and the ranks for which others wait.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "gui/view/run_context.h"
#include "gui/view/table.h"

namespace ringside::view {

struct GroupsChoice {
  std::string chosen{};          ///< key of the row whose ranks are marked; empty: none
  std::set<std::string> open{};  ///< keys of the rows that are unfolded
  bool operator==(const GroupsChoice&) const = default;
};

struct MeshCell {
  Rank rank = kNoRank;
  std::size_t row = 0;
  std::size_t column = 0;
  bool chosen = false;  ///< is a member of a group of the chosen row
  Tone tone = Tone::kText;
  Shape shape = Shape::kNone;
  std::string word{};  ///< what the shape means: "holds up", "last 83 %"
  std::string hint{};
};

struct MeshView {
  std::string across{};                ///< dimension of the columns
  std::string down{};                  ///< dimension of the rows; empty: there is none
  std::vector<std::string> columns{};  ///< heads; empty: as many ranks in a row as fit
  std::vector<std::string> rows{};     ///< heads
  std::vector<MeshCell> cells{};       ///< by rank
  bool any_chosen = false;
};

enum class Fold : std::uint8_t { kNone, kClosed, kOpen, kInside };

struct GroupsView {
  std::string count{};  ///< "4 groups, 12 calls a step, data-parallel 2 × model-parallel 2"
  Sentence verdict{};
  Tone tone = Tone::kDim;  ///< of the verdict
  Shape shape = Shape::kNone;
  MeshView mesh{};            ///< without cells: no group is known
  Table table{};              ///< the rows on the screen
  std::vector<Fold> folds{};  ///< folds of its rows
  Table whole{};              ///< all groups, as in `show` and the report
  Sentence empty{};           ///< why there is no table; empty: there is one
};

GroupsView build_groups_view(const model::RunModel& model, const RunContext& context,
                             const GroupsChoice& choice);

/// Handles a press on a row: opens or closes a fold, or marks or unmarks the ranks of any other
/// row.
void press_group_row(GroupsChoice& choice, const GroupsView& groups, std::size_t row);

}  // namespace ringside::view
