// Converts steps to positions on a chart's x axis (steps, epochs, seconds since training began, or
// samples) and back. Pure; refers to the model only during a sequence of calls.
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
  /// Whether a pause lies between two times; the first is the earlier one.
  bool between(double from_s, double to_s) const;

 private:
  std::vector<std::pair<double, double>> stops_;
};

class XScale {
 public:
  /// An axis for which the run has no data (epochs unknown, no batch known) falls back to steps;
  /// see axis().
  XScale(const model::RunModel& model, XAxis axis);

  XAxis axis() const { return axis_; }
  /// The position of a (fractional) step. Time axis: the end of the step on the first rank that has
  /// one.
  double x_of(double step) const;
  /// The position of an event after a number of steps, such as a validation. On the step axis that
  /// is the number of the last of them.
  double x_after(double steps) const { return x_of(axis_ == XAxis::kStep ? steps - 1 : steps); }
  double x_after(double steps, const model::RankModel& rank) const {
    return x_of(axis_ == XAxis::kStep ? steps - 1 : steps, rank);
  }
  /// The step at a position, the inverse of x_of; on the time axis the first step that ends at or
  /// after it.
  double step_of(double x) const;
  /// Whether the run paused between two positions, so that no line joins them. Always false on axes
  /// other than time.
  bool stopped_between(double from, double to) const { return stops_.between(from, to); }
  /// Like x_of(step), but on the time axis by this rank's own end of the step.
  double x_of(double step, const model::RankModel& rank) const;

 private:
  double seconds_at(const model::RankModel& rank, double step) const;

  const model::RunModel* model_;
  const model::RankModel* clock_rank_ = nullptr;
  StopTimes stops_;  ///< used on the time axis only
  XAxis axis_;
  double per_step_ = 1;  ///< linear axes: x = step * per_step_
};

}  // namespace ringside::view
