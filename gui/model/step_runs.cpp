#include "gui/model/step_runs.h"

#include <algorithm>

namespace ringside::model {

namespace {

/// The distance from `low` to `high`, which may exceed the range of a signed number.
std::uint64_t between(Step low, Step high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

Step behind(Step step, std::uint64_t distance) {
  return static_cast<Step>(static_cast<std::uint64_t>(step) + distance);
}

}  // namespace

void StepRuns::push(Step step) {
  if (runs_.empty()) {
    runs_.push_back({size_++, step, 0});
    return;
  }
  Run& last = runs_.back();
  const std::uint64_t count = size_ - last.first;
  if (count == 1) last.stride = between(last.step, step);
  if (behind(last.step, last.stride * count) != step) runs_.push_back({size_, step, 0});
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
  return behind(run.step, run.stride * (index - run.first));
}

std::size_t StepRuns::lower_bound(Step step) const {
  const auto after = std::partition_point(runs_.begin(), runs_.end(),
                                          [=](const Run& run) { return run.step < step; });
  if (after == runs_.begin()) return 0;
  const Run& run = *(after - 1);
  const std::size_t end = end_of(static_cast<std::size_t>(after - 1 - runs_.begin()));
  if (run.stride == 0) return end;
  const std::uint64_t distance = between(run.step, step);
  const std::uint64_t places = distance / run.stride + (distance % run.stride != 0 ? 1 : 0);
  return places < end - run.first ? run.first + places : end;
}

}  // namespace ringside::model
