// The Groups tab, what ranks do together: the device mesh as a grid of ranks, the table of
// groups with those of one dimension folded into one row, and who holds the others up. Pure.
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
  bool chosen = false;  ///< a member of the groups of the chosen row
  Tone tone = Tone::kText;
  Shape shape = Shape::kNone;
  std::string word{};  ///< what the shape says: "holds up", "last 83 %"
  std::string hint{};
};

struct MeshView {
  std::string across{};                ///< dimension from left to right
  std::string down{};                  ///< and from top to bottom; empty: there is none
  std::vector<std::string> columns{};  ///< heads; empty: as many ranks in a line as fit
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
  Table table{};              ///< as it is shown
  std::vector<Fold> folds{};  ///< of its rows
  Table whole{};              ///< every group, as in `show` and the report
  Sentence empty{};           ///< instead of a table, why there is none
};

GroupsView build_groups_view(const model::RunModel& model, const RunContext& context,
                             const GroupsChoice& choice);

/// After a press on a row: a fold opens or closes, the ranks of any other are marked or no longer.
void press_group_row(GroupsChoice& choice, const GroupsView& groups, std::size_t row);

}  // namespace ringside::view
