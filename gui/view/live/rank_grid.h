// All ranks at once as cells, for runs with more ranks than a table shows well: one quantity, as a
// share of its range, and the state where it is not as it should be. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/view/live/rank_table.h"

namespace ringside::view {

struct GridCell {
  Rank rank = kNoRank;
  Node node = 0;
  double share = -1;  ///< of the range, 0 .. 1; below 0: not known
  bool odd = false;   ///< late, silent or failed: marked by its shape
  Shape shape = Shape::kNone;
  Tone tone = Tone::kText;
  std::string hint;  ///< "r17 on node1: Late, compute 83.7 ms"
};

struct RankGridView {
  std::string title;            ///< "Compute ms"
  std::string low, high;        ///< ends of the range
  std::vector<GridCell> cells;  ///< by rank
  Sentence empty;
};

/// Quantities that a grid can show, with their words.
struct GridMetric {
  RankColumn column;
  const char* word;
  const char* unit;
};
inline constexpr GridMetric kGridMetrics[] = {
    {RankColumn::kOwn, "Compute", "ms"},     {RankColumn::kLast, "Last to arrive", "%"},
    {RankColumn::kP50, "Step", "ms"},        {RankColumn::kLoss, "Loss", ""},
    {RankColumn::kUtilisation, "Util", "%"}, {RankColumn::kMemory, "Memory", "GiB"}};

RankGridView build_rank_grid(const RankTableView& table, const GridMetric& metric);

/// From so many ranks on the grid is what is shown first.
inline constexpr std::size_t kGridFrom = 17;

}  // namespace ringside::view
