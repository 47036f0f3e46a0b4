#include "gui/view/chart/chart_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

/// Collects values by position on the x axis while columns are added one by one.
class ChartTable {
 public:
  explicit ChartTable(const std::string& x) { table_.columns.push_back(number_column(x, x)); }

  void add(const std::string& name, std::span<const ChartColumn> columns) {
    const bool several =
        std::ranges::any_of(columns, [](const auto& one) { return one.low != one.high; });
    if (columns.empty()) return;
    if (!several) return add_values(name, columns, &ChartColumn::last);
    add_values(name + " lowest", columns, &ChartColumn::low);
    add_values(name + " highest", columns, &ChartColumn::high);
  }

  void add_values(const std::string& name, std::span<const ChartColumn> columns,
                  float ChartColumn::*value) {
    const std::size_t place = open(name);
    for (const ChartColumn& column : columns) put(column.x, place, shortest(column.*value));
  }

  void add_points(const std::string& name, std::span<const PointView> points, bool baseline) {
    if (std::ranges::none_of(points, [&](const auto& one) { return one.baseline == baseline; }))
      return;
    const std::size_t place = open(name);
    for (const PointView& point : points)
      if (point.baseline == baseline) put(point.x, place, point.y);
  }

  Table finish(double shift) {
    for (auto& [x, values] : rows_) {
      values.resize(table_.columns.size() - 1, kUnknownNumber);
      TableRow& row = table_.rows.emplace_back();
      row.cells.push_back(cell(x + shift));
      for (const double value : values) row.cells.push_back(cell(value));
    }
    return std::move(table_);
  }

 private:
  /// Returns the double with the shortest text that reads back as this float: 0.1, not
  /// 0.10000000149.
  static double shortest(float value) {
    const std::string text = fmt::format("{}", value);
    double number = static_cast<double>(value);
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
  /// Formats a number for spreadsheets: full precision, no thousands separators.
  static Cell cell(double value) {
    return number_cell(value, [](double known) { return fmt::format("{:.9g}", known); });
  }
  std::size_t open(const std::string& name) {
    table_.columns.push_back(number_column(name, name));
    return table_.columns.size() - 2;
  }
  void put(double x, std::size_t place, double value) {
    std::vector<double>& values = rows_[x];
    values.resize(std::max(values.size(), place + 1), kUnknownNumber);
    values[place] = value;
  }

  Table table_;
  std::map<double, std::vector<double>> rows_;
};

std::string x_name(XAxis axis) {
  constexpr const char* kNames[] = {"step", "epoch", "time_s", "samples"};
  return kNames[static_cast<std::size_t>(axis)];
}

}  // namespace

Table chart_table(const ChartView& chart, std::int64_t first_step) {
  ChartTable table(x_name(chart.axis));
  for (const LineView& line : chart.lines) {
    if (line.hidden) continue;
    table.add(line.label, line.columns);
    if (!line.band.empty()) table.add(line.label + " of runs", line.band);
  }
  for (const LineView& line : chart.smoothed) table.add(line.label + " smoothed", line.columns);
  table.add("ranks", chart.band.columns);
  table.add_points("validation", chart.points, false);
  table.add_points("baseline validation", chart.points, true);
  return table.finish(chart.axis == XAxis::kStep ? static_cast<double>(first_step) : 0);
}

}  // namespace ringside::view
