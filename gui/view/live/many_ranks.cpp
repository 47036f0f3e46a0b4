#include "gui/view/live/many_ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gui/view/number_format.h"
#include "gui/view/state_view.h"
#include "gui/view/table_cells.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

/// How bad a rank's state is, and how often it arrives last; larger is worse.
using Badness = std::pair<int, int>;

Badness badness_of(const Table& ranks, const TableRow& row, Rank failed) {
  constexpr double kCoarse = 10;
  const bool first = failed != kNoRank && row.cells.front().rank == failed;
  // A late rank that has ended shows the state of its end, so that the row's tint counts, too.
  const int bad = std::max(badness(cell_of(ranks, row, "state").tone), badness(row.tint));
  const double last = number_of(cell_of(ranks, row, "last").value);
  return {first ? 3 : bad, std::isfinite(last) ? static_cast<int>(last / kCoarse) : 0};
}

struct Percentile {
  const char* key;
  double share;
};
constexpr Percentile kPercentiles[] = {{"p5", 0.05}, {"p50", 0.5}, {"p95", 0.95}};

/// A finite figure of a row.
using Figure = std::pair<double, const Cell*>;

std::vector<Figure> figures_of(const Table& ranks, std::size_t column) {
  std::vector<Figure> figures;
  figures.reserve(ranks.rows.size());
  for (const TableRow& row : ranks.rows) {
    const Cell& cell = row.cells[column];
    const double value = number_of(cell.value);
    if (std::isfinite(value)) figures.emplace_back(value, &cell);
  }
  return figures;
}

/// A percentile by nearest rank: the smallest figure that at least this share of all does not
/// exceed.
Cell percentile_cell(const Percentile& one, std::vector<Figure>& figures) {
  if (figures.empty()) return unknown_cell();
  const auto count = static_cast<double>(figures.size());
  const auto place = static_cast<std::ptrdiff_t>(std::ceil(one.share * count)) - 1;
  std::nth_element(figures.begin(), figures.begin() + place, figures.end(),
                   [](const Figure& a, const Figure& b) { return a.first < b.first; });
  const Cell& found = *figures[static_cast<std::size_t>(place)].second;
  Cell cell{found.value, found.text};
  cell.hint = std::string(one.key) + " of " +
              plural(static_cast<std::int64_t>(figures.size()), "rank", "ranks") + ".";
  return cell;
}

}  // namespace

bool is_amount(const TableColumn& column) {
  const bool which = column.key == "device" || column.key == "step" || column.key == "node" ||
                     column.key == "local";
  return column.align == Align::kRight && column.width > 0 && !which;
}

void put_worst_first(Table& ranks, Rank failed) {
  struct Place {
    Badness of_node;
    Node node = 0;
    Badness own;
    TableRow row;
  };
  std::map<Node, Badness> worst;
  std::vector<Place> places;
  places.reserve(ranks.rows.size());
  for (TableRow& row : ranks.rows) {
    // The column is missing if all ranks are on one node.
    const double node = number_of(cell_of(ranks, row, "node").value);
    Place place;
    place.node = std::isnan(node) ? 0 : static_cast<Node>(node);
    place.own = badness_of(ranks, row, failed);
    Badness& of_node = worst[place.node];
    of_node = std::max(of_node, place.own);
    place.row = std::move(row);
    places.push_back(std::move(place));
  }
  for (Place& place : places) place.of_node = worst[place.node];
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(b.of_node, a.node, b.own) < std::tie(a.of_node, b.node, a.own);
  });
  for (std::size_t i = 0; i < places.size(); ++i) ranks.rows[i] = std::move(places[i].row);
}

void add_percentiles(Table& ranks) {
  std::vector<TableRow> rows;
  for (const Percentile& one : kPercentiles)
    rows.push_back({one.key, std::vector<Cell>(ranks.columns.size())});
  for (std::size_t column = 0; column < ranks.columns.size(); ++column) {
    if (!is_amount(ranks.columns[column])) continue;
    std::vector<Figure> figures = figures_of(ranks, column);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].cells[column] = percentile_cell(kPercentiles[i], figures);
  }
  const std::size_t beside = column_index(ranks, "state");
  for (TableRow& row : rows) {
    row.cells.front() = text_cell(row.key);
    if (beside < row.cells.size()) row.cells[beside] = text_cell("of ranks", Tone::kDim);
    ranks.totals.push_back(std::move(row));
  }
}

std::string percentiles_text(const Table& ranks, const TableColumn& column) {
  std::string text;
  for (const Percentile& one : kPercentiles) {
    const auto row = std::find_if(ranks.totals.begin(), ranks.totals.end(),
                                  [&one](const TableRow& total) { return total.key == one.key; });
    if (row == ranks.totals.end()) return {};
    const Cell& cell = cell_of(ranks, *row, column.key);
    if (std::holds_alternative<std::monostate>(cell.value)) return {};
    add_listed(text, std::string(one.key) + " " + cell.text);
  }
  if (!column.unit.empty()) text += " " + column.unit;
  return text + " over " + plural(static_cast<std::int64_t>(ranks.rows.size()), "rank", "ranks");
}

}  // namespace ringside::view
