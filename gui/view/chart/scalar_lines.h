// Lines and bands from named values, which are kept by place and not by step: thinned to the lowest
// and highest of every pixel column. Internal to gui/view. Pure; refers to the model for the length
// of a call sequence only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/model/scalar_store.h"
#include "gui/view/chart/chart.h"
#include "gui/view/chart/x_scale.h"

namespace ringside::view {

/// Where named values lie: their own steps, or the times at which they were said.
struct ScalarPlot {
  ScalarPlot(const model::RunModel& model, XAxis wanted, int width);

  double x_of(const model::ScalarSeries& series, std::size_t place) const;
  /// Index of the first value not before `x`, searched for from `from` on.
  std::size_t place_of(const model::ScalarSeries& series, double x, std::size_t from = 0) const;
  /// True when the run stood still between two x: no line joins them.
  bool stopped_between(double from, double to) const { return stops_.between(from, to); }
  /// Shows all values of the name.
  void show_all(const model::ScalarName& name);

  XAxis axis;
  double low = 0;  ///< what is shown, both ends included
  double high = 0;
  int pixels;

 private:
  XScale scale_;
  std::int64_t began_ns_;
  StopTimes stops_;  ///< time axis only
};

/// One of several ranks: lowest and highest per pixel column. Widens `range` by what is drawn.
void add_scalar_line(const model::ScalarSeries& series, const ScalarPlot& plot, LineView& line,
                     model::Extremes& range);
/// The mean of the values of each pixel column.
void add_scalar_means(const model::ScalarSeries& series, const ScalarPlot& plot, LineView& line,
                      model::Extremes& range);
/// Mean over the values of `steps` steps around the middle of each pixel column.
void add_scalar_smoothed(const model::ScalarSeries& series, const ScalarPlot& plot, int steps,
                         LineView& line);
/// Lowest to highest over these ranks, at the steps of main_series().
void add_scalar_band(const model::ScalarName& name, const std::vector<Rank>& ranks,
                     const ScalarPlot& plot, BandView& band, model::Extremes& range);

/// The series that stands for the name: the mean of its ranks, else the first that has values; null
/// where there are none.
const model::ScalarSeries* main_series(const model::ScalarName& name);

/// A name as it is shown: one line that is never empty, whatever a program called it.
std::string shown_name(const std::string& name);

}  // namespace ringside::view
