// Converts steps to positions on a chart's x axis (steps, epochs, seconds of training, or samples)
// and back. Pure; refers to the model only during a sequence of calls.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "gui/view/choices.h"

namespace ringside::view {

/// The time axis: seconds since training began, or since the first record before that, without the
/// pauses between attempts. A pause has no width, and lies where the attempt before it ended.
class TimeScale {
 public:
  TimeScale() = default;
  explicit TimeScale(const model::RunModel& model);

  /// The position of a moment, mono_ns.
  double seconds(std::int64_t at_ns) const;
  /// The moment at a position; where a pause lies, its beginning.
  std::int64_t ns_at(double seconds) const;
  /// Whether the run paused at this moment.
  bool paused_at(std::int64_t at_ns) const;
  /// Whether a pause lies between two positions, so that no line joins them.
  bool paused_between(double from_s, double to_s) const;

 private:
  struct Pause {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    std::int64_t before_ns = 0;  ///< total length of the earlier ones
  };
  const Pause* last_begun(std::int64_t at_ns) const;
  std::int64_t trained_ns(std::int64_t at_ns) const;

  std::vector<Pause> pauses_;
  std::int64_t began_ns_ = 0;  ///< in trained_ns()
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
  bool stopped_between(double from, double to) const { return time_.paused_between(from, to); }
  /// When a step ended, mono_ns. Time axis only.
  std::int64_t end_ns(double step) const { return end_ns(*clock_rank_, step); }
  /// The step in progress at a moment, mono_ns. Time axis only.
  double step_at(std::int64_t at_ns) const { return step_of(time_.seconds(at_ns)); }
  /// Like x_of(step), but on the time axis by this rank's own end of the step.
  double x_of(double step, const model::RankModel& rank) const;

 private:
  double seconds_at(const model::RankModel& rank, double step) const;
  std::int64_t end_ns(const model::RankModel& rank, double step) const;

  const model::RunModel* model_;
  const model::RankModel* clock_rank_ = nullptr;
  TimeScale time_;  ///< used on the time axis only
  XAxis axis_;
  double per_step_ = 1;  ///< linear axes: x = step * per_step_
};

}  // namespace ringside::view
