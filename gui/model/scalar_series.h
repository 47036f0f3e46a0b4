// The values of one name on one rank: (step, value, time), ascending by step, kept by place and not
// by step, so that a value every thousand steps costs as much as one every step. Thinned for
// drawing as Series is. One thread; lives inside the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "gui/model/column.h"
#include "gui/model/series.h"
#include "gui/model/step_runs.h"

namespace ringside::model {

/// The one number that is not a step.
inline constexpr Step kNoStep = std::numeric_limits<Step>::min();

class ScalarSeries {
 public:
  /// A value for a step that lies so many values behind the newest and has none yet is not kept:
  /// what a record may cost is bounded.
  static constexpr std::size_t kMostBehind = 4096;

  /// A step that is there takes the new value. False: too far behind, nothing has changed. Any step
  /// but kNoStep.
  bool add(Step step, double value, std::int64_t at_ns);
  /// Forgets this step and those beyond it.
  void drop_from(Step step);

  bool empty() const { return steps_.size() == 0; }
  std::size_t size() const { return steps_.size(); }
  Step step_at(std::size_t place) const { return steps_.at(place); }
  std::int64_t ns_at(std::size_t place) const {
    return began_ns_ + static_cast<std::int64_t>(static_cast<double>(seconds_.at(place)) * 1e9);
  }
  /// Place of the first step that is not below `step`, and of the first value that was said not
  /// before `at_ns`, searched for from `from` on; size(): there is none.
  std::size_t place_of_step(Step step) const { return steps_.lower_bound(step); }
  /// Place of the first step above `step`; size(): there is none.
  std::size_t place_behind(Step step) const {
    const std::size_t place = steps_.lower_bound(step);
    return place < size() && steps_.at(place) == step ? place + 1 : place;
  }
  std::size_t place_of_ns(std::int64_t at_ns, std::size_t from = 0) const;
  /// Values by index.
  const Series& values() const { return values_; }

  /// The value of the highest step, as reported; NaN where there is none.
  double latest() const { return latest_; }
  Step latest_step() const { return empty() ? kNoStep : steps_.at(size() - 1); }
  /// When the newest value came that was another than the one before; 0: never.
  std::int64_t changed_ns() const { return changed_ns_; }

  std::size_t memory_bytes() const {
    return steps_.memory_bytes() + values_.memory_bytes() + seconds_.memory_bytes();
  }

 private:
  void append(Step step, float value, float seconds);
  void insert(std::size_t place, Step step, float value, float seconds);
  void truncate(std::size_t size);

  StepRuns steps_;
  Series values_;
  Column<float, 256> seconds_;  ///< since began_ns_; to 8 ms after a day
  std::int64_t began_ns_ = 0;
  std::int64_t changed_ns_ = 0;
  double latest_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace ringside::model
