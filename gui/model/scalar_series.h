// The values of one scalar on one rank: (step, value, time), ascending by step, stored by index and
// not by step, so that a value every thousand steps costs as much as one every step. Thinned for
// drawing as in Series. One thread; lives inside the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "gui/model/column.h"
#include "gui/model/series.h"
#include "gui/model/step_runs.h"

namespace ringside::model {

/// The only number that cannot be a step.
inline constexpr Step kNoStep = std::numeric_limits<Step>::min();

class ScalarSeries {
 public:
  /// A value for a new step that lies this many values behind the newest one is dropped, which
  /// bounds the cost of a record.
  static constexpr std::size_t kMostBehind = 4096;

  /// An existing step gets the new value. False: too far behind, nothing has changed. Any step but
  /// kNoStep.
  bool add(Step step, double value, std::int64_t at_ns);
  /// Forgets this step and later ones.
  void drop_from(Step step);

  bool empty() const { return steps_.size() == 0; }
  std::size_t size() const { return steps_.size(); }
  Step step_at(std::size_t place) const { return steps_.at(place); }
  std::int64_t ns_at(std::size_t place) const {
    return began_ns_ + static_cast<std::int64_t>(static_cast<double>(seconds_.at(place)) * 1e9);
  }
  /// Index of the first step that is not below `step`, and of the first value at or after `at_ns`,
  /// starting the search at `from`; size(): there is none.
  std::size_t place_of_step(Step step) const { return steps_.lower_bound(step); }
  /// Index of the first step above `step`; size(): there is none.
  std::size_t place_behind(Step step) const {
    const std::size_t place = steps_.lower_bound(step);
    return place < size() && steps_.at(place) == step ? place + 1 : place;
  }
  std::size_t place_of_ns(std::int64_t at_ns, std::size_t from = 0) const;
  /// Values by index.
  const Series& values() const { return values_; }

  /// The value of the highest step as reported; NaN if there is none.
  double latest() const { return latest_; }
  Step latest_step() const { return empty() ? kNoStep : steps_.at(size() - 1); }
  /// Time of the newest value that differs from the one before; 0: never.
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
  Column<float, 256> seconds_;  ///< since began_ns_; exact to 8 ms after a day
  std::int64_t began_ns_ = 0;
  std::int64_t changed_ns_ = 0;
  double latest_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace ringside::model
