#include "gui/view/live/rank_grid.h"

#include <algorithm>
#include <cmath>

#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

bool is_odd(const RankRow& row) {
  return row.late || row.state.tone == Tone::kError || row.state.tone == Tone::kWarning;
}

GridCell cell_of(const RankRow& row, const GridMetric& metric) {
  GridCell cell;
  cell.rank = row.rank;
  cell.node = row.node;
  cell.odd = is_odd(row);
  cell.shape = row.late ? Shape::kWarningTriangle : row.state.shape;
  cell.tone = row.late ? Tone::kWarning : row.state.tone;
  cell.hint = rank_label(row.rank) + " on " + row.host + ": " + row.state.word + ", " +
              metric.word + " " + cell_text(row, metric.column);
  if (*metric.unit != '\0') cell.hint += std::string(" ") + metric.unit;
  return cell;
}

}  // namespace

RankGridView build_rank_grid(const RankTableView& table, const GridMetric& metric) {
  RankGridView grid;
  grid.title = std::string(metric.word) + (*metric.unit == '\0' ? "" : " ") + metric.unit;
  grid.low = grid.high = std::string(kDash);
  grid.empty = table.empty;
  double low = INFINITY;
  double high = -INFINITY;
  std::vector<double> values;
  for (const RankRow& row : table.rows) {
    const double value = cell_number(cell_text(row, metric.column));
    values.push_back(value);
    grid.cells.push_back(cell_of(row, metric));
    if (std::isnan(value)) continue;
    if (value < low) grid.low = cell_text(row, metric.column);
    if (value > high) grid.high = cell_text(row, metric.column);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    grid.cells[i].share = high > low ? (values[i] - low) / (high - low) : 0;
  }
  std::sort(grid.cells.begin(), grid.cells.end(),
            [](const GridCell& a, const GridCell& b) { return a.rank < b.rank; });
  return grid;
}

}  // namespace ringside::view
