#include "gui/model/step_runs.h"

#include <algorithm>

namespace ringside::model {

void StepRuns::push(Step step) {
  if (runs_.empty()) {
    runs_.push_back({size_++, step, 0});
    return;
  }
  Run& last = runs_.back();
  const auto count = static_cast<Step>(size_ - last.first);
  if (count == 1) last.stride = step - last.step;
  if (last.step + last.stride * count != step) runs_.push_back({size_, step, 0});
  ++size_;
}

void StepRuns::truncate(std::size_t count) {
  if (count >= size_) return;
  size_ = count;
  while (!runs_.empty() && runs_.back().first >= count) runs_.pop_back();
}

Step StepRuns::at(std::size_t index) const {
  const auto after = std::partition_point(runs_.begin(), runs_.end(),
                                          [=](const Run& run) { return run.first <= index; });
  const Run& run = *(after - 1);
  return run.step + run.stride * static_cast<Step>(index - run.first);
}

std::size_t StepRuns::lower_bound(Step step) const {
  const auto after = std::partition_point(runs_.begin(), runs_.end(),
                                          [=](const Run& run) { return run.step < step; });
  if (after == runs_.begin()) return 0;
  const Run& run = *(after - 1);
  const std::size_t end = end_of(static_cast<std::size_t>(after - 1 - runs_.begin()));
  if (run.stride == 0) return end;
  const auto behind = static_cast<std::size_t>((step - run.step + run.stride - 1) / run.stride);
  return std::min(end, run.first + behind);
}

}  // namespace ringside::model
