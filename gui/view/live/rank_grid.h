// All ranks at once as cells, for runs with more ranks than a table shows well: one column of the
// table of ranks, as a share of its range, and the state where it is not as it should be. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/view/live/rank_table.h"

namespace ringside::view {

struct GridCell {
  Rank rank = kNoRank;
  double share = -1;  ///< 0: the least of all, 1: far above it; below 0: not known
  bool odd = false;   ///< late, silent or failed: marked by its shape
  Shape shape = Shape::kNone;
  Tone tone = Tone::kText;
  std::string hint;  ///< "r17 on node1: Late, Compute 83.7 ms"
};

struct RankGridView {
  std::string title;                 ///< "Compute ms"
  std::string low, high;             ///< the least and the largest amount
  std::string percentiles;           ///< those of the table; empty if it has none
  double most = -1;                  ///< share of the largest; below 0: none is known
  std::vector<GridCell> cells;       ///< by rank
  std::vector<TableColumn> choices;  ///< columns of the table that a grid can show
  std::size_t chosen = 0;            ///< index in `choices`
  Sentence empty;
};

/// `key`: of a column of numbers; where the table does not have it, the first one is shown.
RankGridView build_rank_grid(const Table& ranks, std::string_view key);

/// The number of ranks from which on the grid is shown first.
inline constexpr std::size_t kGridFrom = 17;

}  // namespace ringside::view
