// Converts steps to what a chart's x axis counts, and back: steps, epochs, seconds since training
// began, or samples. Pure; refers to the model for the length of a call sequence only.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "gui/view/choices.h"

namespace ringside::view {

/// Pauses of the run between two attempts, in seconds since `began_ns`.
class StopTimes {
 public:
  StopTimes() = default;
  StopTimes(const model::RunModel& model, std::int64_t began_ns);
  /// Whether a pause lies between two times, of which the first is the earlier.
  bool between(double from_s, double to_s) const;

 private:
  std::vector<std::pair<double, double>> stops_;
};

class XScale {
 public:
  /// An axis that the run cannot give (epochs unknown, no batch known) falls back to steps; axis()
  /// tells.
  XScale(const model::RunModel& model, XAxis axis);

  XAxis axis() const { return axis_; }
  /// Position of a (fractional) step. Time: end of the step on the first rank that has one.
  double x_of(double step) const;
  /// Position of something that happened after so many steps, such as a validation. On the step
  /// axis that is the number of the last of them.
  double x_after(double steps) const { return x_of(axis_ == XAxis::kStep ? steps - 1 : steps); }
  double x_after(double steps, const model::RankModel& rank) const {
    return x_of(axis_ == XAxis::kStep ? steps - 1 : steps, rank);
  }
  /// The step at a position; the inverse of x_of, to the step on the time axis.
  double step_of(double x) const;
  /// Whether the run paused between two positions, so that no line joins them. Always false on axes
  /// other than time.
  bool stopped_between(double from, double to) const { return stops_.between(from, to); }
  /// As x_of(step), but on the time axis by this rank's own end of the step.
  double x_of(double step, const model::RankModel& rank) const;

 private:
  double seconds_at(const model::RankModel& rank, double step) const;

  const model::RunModel* model_;
  const model::RankModel* clock_rank_ = nullptr;
  StopTimes stops_;  ///< time axis only
  XAxis axis_;
  double per_step_ = 1;  ///< linear axes: x = step * per_step_
};

}  // namespace ringside::view
