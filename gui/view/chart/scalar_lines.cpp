#include "gui/view/chart/scalar_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/model/run_model.h"
#include "protocol/base/printable.h"

namespace ringside::view {
namespace {

using model::Extremes;
using model::ScalarSeries;

/// Calls visit(begin, end) with the indexes of each pixel column that has values, or of each value
/// if there are fewer values than columns.
template <class Visit>
void each_column(const ScalarSeries& series, const ScalarPlot& plot, Visit&& visit) {
  std::size_t begin = plot.place_of(series, plot.low);
  std::size_t last = plot.place_of(series, plot.high, begin);
  while (last < series.size() && plot.x_of(series, last) <= plot.high) ++last;
  const auto columns = static_cast<std::size_t>(std::max(1, plot.pixels));
  if (last - begin <= columns) {
    for (; begin < last; ++begin) visit(begin, begin + 1);
    return;
  }
  const double width = (plot.high - plot.low) / static_cast<double>(columns);
  for (std::size_t column = 1; column <= columns; ++column) {
    const double right = plot.low + width * static_cast<double>(column);
    const std::size_t end =
        column == columns ? last : std::min(last, plot.place_of(series, right, begin));
    if (begin < end) visit(begin, end);
    begin = end;
  }
}

ChartColumn column_of(double x, const Extremes& found) {
  return {x, found.lowest, found.highest, found.lowest, found.highest};
}

void append(ChartColumn column, const ScalarPlot& plot, std::vector<ChartColumn>& columns) {
  column.anew = !columns.empty() && plot.stopped_between(columns.back().x, column.x);
  columns.push_back(column);
}

/// Breaks the line at NaN and Inf.
void break_at_nan(LineView& line) {
  for (const double x : line.nan_at) {
    const auto next = std::ranges::upper_bound(line.columns, x, {}, &ChartColumn::x);
    const bool between = next != line.columns.begin() && std::prev(next)->x < x;
    if (next != line.columns.end() && between) next->anew = true;
  }
}

void widen_extremes(Extremes& range, const ChartColumn& column) {
  range.add(column.low);
  range.add(column.high);
}

}  // namespace

ScalarPlot::ScalarPlot(const model::RunModel& model, XAxis wanted, int width)
    : axis(wanted), pixels(width), scale_(model, wanted == XAxis::kTime ? XAxis::kStep : wanted) {
  if (axis != XAxis::kTime) axis = scale_.axis();
  if (axis == XAxis::kTime) time_ = TimeScale(model);
}

double ScalarPlot::x_of(const ScalarSeries& series, std::size_t place) const {
  if (axis == XAxis::kTime) return time_.seconds(series.ns_at(place));
  return scale_.x_of(static_cast<double>(series.step_at(place)));
}

std::size_t ScalarPlot::place_of(const ScalarSeries& series, double x, std::size_t from) const {
  if (axis == XAxis::kTime) return series.place_of_ns(time_.ns_at(x), from);
  // A position that is a whole step but for rounding is that step.
  const double step = std::ceil(scale_.step_of(x) - 1e-6);
  constexpr double kMost = 9.2233720368547748e18;  // the last below 2^63
  // A double cannot distinguish the last steps from 2^63.
  if (step > kMost)
    return std::max(from, series.place_of_step(std::numeric_limits<Step>::max() - 511));
  return std::max(from, series.place_of_step(static_cast<Step>(std::max(step, -kMost))));
}

void ScalarPlot::show_all(const model::ScalarName& name) {
  bool first = true;
  for (std::size_t i = 0; i < name.ranks().size(); ++i) {
    const ScalarSeries& series = name.series(i);
    if (series.empty()) continue;
    const double begin = x_of(series, 0);
    const double end = x_of(series, series.size() - 1);
    low = first ? begin : std::min(low, begin);
    high = first ? end : std::max(high, end);
    first = false;
  }
}

void add_scalar_line(const ScalarSeries& series, const ScalarPlot& plot, LineView& line,
                     Extremes& range) {
  const auto or_else = [&series](std::size_t place, float otherwise) {
    const float value = series.values().at(place);
    return std::isfinite(value) ? value : otherwise;
  };
  each_column(series, plot, [&](std::size_t begin, std::size_t end) {
    const Extremes found = series.values().extremes(begin, end);
    const double x = plot.x_of(series, begin);
    if (found.flags != 0) line.nan_at.push_back(x);
    if (!found.has_finite()) return;
    ChartColumn column = column_of(x, found);
    column.first = or_else(begin, found.lowest);
    column.last = or_else(end - 1, found.highest);
    column.mean = static_cast<float>(series.values().sum(begin, end).mean());
    append(column, plot, line.columns);
    widen_extremes(range, column);
  });
  break_at_nan(line);
}

void add_scalar_means(const ScalarSeries& series, const ScalarPlot& plot, LineView& line,
                      Extremes& range) {
  each_column(series, plot, [&](std::size_t begin, std::size_t end) {
    const auto sum = series.values().sum(begin, end);
    const double x = plot.x_of(series, begin);
    if (sum.count < end - begin) line.nan_at.push_back(x);
    if (sum.count == 0) return;
    const auto mean = static_cast<float>(sum.mean());
    append(single_column(x, mean), plot, line.columns);
    widen_extremes(range, line.columns.back());
  });
  break_at_nan(line);
}

void add_scalar_smoothed(const ScalarSeries& series, const ScalarPlot& plot, int steps,
                         LineView& line) {
  each_column(series, plot, [&](std::size_t begin, std::size_t end) {
    const Step middle = series.step_at(begin + (end - begin) / 2);
    using Limits = std::numeric_limits<Step>;
    const Step half = steps / 2;
    const std::size_t from =
        std::min(begin, series.place_of_step(std::max(middle, Limits::min() + half) - half));
    const std::size_t to =
        std::max(end, series.place_behind(std::min(middle, Limits::max() - half) + half));
    const auto sum = series.values().sum(from, to);
    if (sum.count == 0) return;
    append(single_column(plot.x_of(series, begin), static_cast<float>(sum.mean())), plot,
           line.columns);
  });
}

void add_scalar_band(const model::ScalarName& name, const std::vector<Rank>& ranks,
                     const ScalarPlot& plot, BandView& band, Extremes& range) {
  const ScalarSeries* main = main_series(name);
  if (main == nullptr) return;
  // Ranks log a step at different times: the columns are those of their mean, on any axis.
  each_column(*main, plot, [&](std::size_t begin, std::size_t end) {
    Extremes found;
    for (const Rank rank : ranks) {
      const ScalarSeries& series = *name.of(rank);
      found.add(series.values().extremes(series.place_of_step(main->step_at(begin)),
                                         series.place_behind(main->step_at(end - 1))));
    }
    if (!found.has_finite()) return;
    append(column_of(plot.x_of(*main, begin), found), plot, band.columns);
    widen_extremes(range, band.columns.back());
  });
}

const ScalarSeries* main_series(const model::ScalarName& name) {
  if (!name.mean().empty()) return &name.mean();
  for (std::size_t i = 0; i < name.ranks().size(); ++i) {
    if (!name.series(i).empty()) return &name.series(i);
  }
  return nullptr;
}

std::string shown_name(const std::string& name) {
  return name.empty() ? "(no name)" : printable_line(name);
}

}  // namespace ringside::view
