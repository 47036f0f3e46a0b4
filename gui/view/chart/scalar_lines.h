// Lines and bands of scalars, which are stored by index and not by step: thinned to the lowest and
// highest value of every pixel column. Internal to gui/view. Pure; refers to the model only during
// a sequence of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/model/scalar_store.h"
#include "gui/view/chart/chart.h"
#include "gui/view/chart/x_scale.h"

namespace ringside::view {

/// The x positions of scalars: their own steps, or the times at which they were logged.
struct ScalarPlot {
  ScalarPlot(const model::RunModel& model, XAxis wanted, int width);

  double x_of(const model::ScalarSeries& series, std::size_t place) const;
  /// Index of the first value not before `x`, searched for from `from` on.
  std::size_t place_of(const model::ScalarSeries& series, double x, std::size_t from = 0) const;
  /// True if the run paused between two x, so that no line joins them.
  bool stopped_between(double from, double to) const { return time_.paused_between(from, to); }
  void show_all(const model::ScalarName& name);

  XAxis axis;
  double low = 0;  ///< shown range, both ends included
  double high = 0;
  int pixels;

 private:
  XScale scale_;
  TimeScale time_;  ///< used on the time axis only
};

/// Adds the line of one of several ranks: lowest and highest value per pixel column. Widens `range`
/// to the drawn values.
void add_scalar_line(const model::ScalarSeries& series, const ScalarPlot& plot, LineView& line,
                     model::Extremes& range);
/// Adds the mean of the values of each pixel column.
void add_scalar_means(const model::ScalarSeries& series, const ScalarPlot& plot, LineView& line,
                      model::Extremes& range);
/// Adds the mean over `steps` values around the middle of each pixel column.
void add_scalar_smoothed(const model::ScalarSeries& series, const ScalarPlot& plot, int steps,
                         LineView& line);
/// Adds the band from the lowest to the highest value of these ranks, at the steps of
/// main_series().
void add_scalar_band(const model::ScalarName& name, const std::vector<Rank>& ranks,
                     const ScalarPlot& plot, BandView& band, model::Extremes& range);

/// The series that represents the name: the mean of its ranks, or else the first that has values;
/// null if there are none.
const model::ScalarSeries* main_series(const model::ScalarName& name);

/// A name as it is displayed: one line, never empty, whatever the program's name for it.
std::string shown_name(const std::string& name);

}  // namespace ringside::view
