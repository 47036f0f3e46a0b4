// The L2 norm of the averaged gradient, taken as often as costs next to nothing. Training thread
// only.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <ATen/core/Tensor.h>

namespace ringside::engine {

/// Norm of all elements of `tensors` together; a scalar on their device.
at::Tensor l2_norm(const std::vector<at::Tensor>& tensors);

/// Decides when to measure: so seldom that the measuring stays below kShare of the step time.
class MeasuringRhythm {
 public:
  static constexpr double kShare = 0.005;
  static constexpr std::int64_t kLongest = 100;  ///< steps between two measurements

  /// Whether the step that ends now is due. Called once a step.
  bool due();
  /// What the last measurement cost and how long a step takes; 0: not known yet, and nothing
  /// changes.
  void measured(std::int64_t cost_ns, std::int64_t step_ns);
  std::int64_t interval() const { return interval_; }

 private:
  std::int64_t cheapest_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t interval_ = 1;
  std::int64_t left_ = 0;
};

}  // namespace ringside::engine
