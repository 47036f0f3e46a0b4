// The ascending steps of a series, as stretches of equal distance: steps at regular intervals need
// almost no memory, and the index of a step is found without reading them. One thread; lives inside
// the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::model {

class StepRuns {
 public:
  /// Adds a step, which must be above all earlier ones.
  void push(Step step);
  /// Forgets all but the first `count` steps.
  void truncate(std::size_t count);

  std::size_t size() const { return size_; }
  /// The step at `index`, which must be below size().
  Step at(std::size_t index) const;
  /// Index of the first step that is not below `step`; size(): there is none.
  std::size_t lower_bound(Step step) const;

  std::size_t memory_bytes() const { return runs_.capacity() * sizeof(Run); }

 private:
  struct Run {
    std::size_t first;     ///< index of its first step
    Step step;             ///< its first step
    std::uint64_t stride;  ///< distance between steps; 0: a single step
  };
  std::size_t end_of(std::size_t run) const {
    return run + 1 < runs_.size() ? runs_[run + 1].first : size_;
  }

  std::vector<Run> runs_;
  std::size_t size_ = 0;
};

}  // namespace ringside::model
