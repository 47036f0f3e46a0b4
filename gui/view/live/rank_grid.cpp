#include "gui/view/live/rank_grid.h"

#include <algorithm>
#include <cmath>

#include "gui/view/live/many_ranks.h"
#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

GridCell cell_of_rank(const Table& ranks, const TableRow& row, const TableColumn& column,
                      const Cell& amount) {
  const Cell& state = cell_of(ranks, row, "state");
  GridCell cell;
  cell.rank = row.cells.front().rank;
  cell.shape = state.shape;
  cell.tone = state.tone;
  cell.odd = state.tone == Tone::kError || state.tone == Tone::kWarning;
  cell.hint = row.key + " on " + cell_of(ranks, row, "host").text + ": " + state.text + ", " +
              column.label + " " + amount.text;
  if (!column.unit.empty()) cell.hint += " " + column.unit;
  return cell;
}

}  // namespace

RankGridView build_rank_grid(const Table& ranks, std::string_view key) {
  RankGridView grid;
  grid.low = grid.high = std::string(kDash);
  grid.empty = ranks.empty;
  for (const TableColumn& column : ranks.columns) {
    if (!is_amount(column)) continue;
    if (column.key == key) grid.chosen = grid.choices.size();
    grid.choices.push_back(column);
  }
  if (grid.choices.empty()) return grid;
  const TableColumn& shown = grid.choices[grid.chosen];
  const std::size_t place = column_index(ranks, shown.key);
  grid.title = head_text(shown);
  grid.percentiles = percentiles_text(ranks, shown);
  double low = INFINITY;
  double high = -INFINITY;
  std::vector<double> values;
  for (const TableRow& row : ranks.rows) {
    const Cell& amount = row.cells[place];
    const double value = number_of(amount.value);
    values.push_back(std::isfinite(value) ? value : std::nan(""));
    grid.cells.push_back(cell_of_rank(ranks, row, shown, amount));
    if (std::isnan(values.back())) continue;
    if (values.back() < low) grid.low = amount.text;
    if (values.back() > high) grid.high = amount.text;
    low = std::min(low, values.back());
    high = std::max(high, values.back());
  }
  // Nearly equal values look alike: full contrast starts at a relative difference of this size.
  constexpr double kFullContrast = 0.05;
  const double span = std::max(high - low, kFullContrast * std::max(std::abs(low), std::abs(high)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    grid.cells[i].share = span > 0 ? (values[i] - low) / span : 0;
    grid.most = std::max(grid.most, grid.cells[i].share);
  }
  std::sort(grid.cells.begin(), grid.cells.end(),
            [](const GridCell& a, const GridCell& b) { return a.rank < b.rank; });
  return grid;
}

}  // namespace ringside::view
