// The values in a folder of event files that a restart has undone. A program that restarts at a
// step records that (SessionLog.START); its earlier values of this and later steps are then no
// longer part of the run, as in TensorBoard. Needs all restarts before the first value. One thread.
#pragma once

#include <vector>

#include "gui/watch/file_reader.h"

namespace ringside::watch {

class UndoneSteps {
 public:
  /// Adds the findings of a file, in the order of the files, before next() is called.
  void add(const Findings& found) {
    for (const Restart& restart : found.restarts)
      restarts_.push_back({values_ + restart.points_before, restart.step});
    values_ += found.points.size();
  }
  /// Called after the last add().
  void begin() {
    for (std::size_t i = restarts_.size(); i-- > 1;)
      restarts_[i - 1].step = std::min(restarts_[i - 1].step, restarts_[i].step);
  }
  /// Whether the next value, whose step is `step`, was undone by a later restart.
  bool next(Step step) {
    while (place_ < restarts_.size() && restarts_[place_].points_before <= taken_) ++place_;
    ++taken_;
    return place_ < restarts_.size() && step >= restarts_[place_].step;
  }

 private:
  std::vector<Restart> restarts_;  ///< after begin(), each with the lowest step from there on
  std::size_t values_ = 0;
  std::size_t taken_ = 0;
  std::size_t place_ = 0;
};

}  // namespace ringside::watch
