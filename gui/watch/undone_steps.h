// The values of a folder of event files that a restart has undone: a program that begins again at a
// step says so (SessionLog.START), and what it had written of that step and those behind it is no
// part of the run any more, as TensorBoard has it. Needs to know all restarts before the values are
// taken. One thread.
#pragma once

#include <vector>

#include "gui/watch/file_reader.h"

namespace ringside::watch {

class UndoneSteps {
 public:
  /// Adds the findings of a file; in the order of the files, before anything is asked.
  void add(const Findings& found) {
    for (const Restart& restart : found.restarts)
      restarts_.push_back({values_ + restart.points_before, restart.step});
    values_ += found.points.size();
  }
  /// To be called behind the last add().
  void begin() {
    for (std::size_t i = restarts_.size(); i-- > 1;)
      restarts_[i - 1].step = std::min(restarts_[i - 1].step, restarts_[i].step);
  }
  /// Whether the next value, which is of `step`, was undone later.
  bool next(Step step) {
    while (place_ < restarts_.size() && restarts_[place_].points_before <= taken_) ++place_;
    ++taken_;
    return place_ < restarts_.size() && step >= restarts_[place_].step;
  }

 private:
  std::vector<Restart> restarts_;  ///< since begin(), each with the lowest step from it on
  std::size_t values_ = 0;
  std::size_t taken_ = 0;
  std::size_t place_ = 0;
};

}  // namespace ringside::watch
