// All ranks at once as cells, for runs with more ranks than a table can show well: the value of one
// column of the table of ranks as a share of its range, and the rank's state if it is not normal.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/view/live/rank_table.h"

namespace ringside::view {

struct GridCell {
  Rank rank = kNoRank;
  double share = -1;  ///< 0: smallest of all, 1: far above it; below 0: unknown
  bool odd = false;   ///< late, silent or failed: marked by its shape
  Shape shape = Shape::kNone;
  Tone tone = Tone::kText;
  std::string hint;  ///< "r17 on node1: Late, Compute 83.7 ms"
};

struct RankGridView {
  std::string title;                 ///< "Compute ms"
  std::string low, high;             ///< smallest and largest value
  std::string percentiles;           ///< percentiles of the table; empty if it has none
  double most = -1;                  ///< share of the largest value; below 0: none is known
  std::vector<GridCell> cells;       ///< by rank
  std::vector<TableColumn> choices;  ///< columns of the table from which a grid can be made
  std::size_t chosen = 0;            ///< index in `choices`
  Sentence empty;
};

/// `key`: that of a column of numbers; if the table does not have it, the first one is shown.
RankGridView build_rank_grid(const Table& ranks, std::string_view key);

/// From this number of ranks on, the grid is the default.
inline constexpr std::size_t kGridFrom = 17;

}  // namespace ringside::view
