// The L2 norm of the averaged gradient, measured as often as its cost is negligible. Training
// thread only.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <ATen/core/Tensor.h>

namespace ringside::engine {

/// Norm over all elements of all `tensors`; a scalar on their device.
at::Tensor l2_norm(const std::vector<at::Tensor>& tensors);

/// Decides when to measure, so that measuring takes less than kShare of the step time.
class MeasuringSchedule {
 public:
  static constexpr double kShare = 0.005;
  static constexpr std::int64_t kLongest = 100;  ///< steps between two measurements

  /// Whether to measure in the current step. Call it once per step.
  bool due();
  /// The cost of the last measurement and the step time; does nothing when either is 0 (unknown).
  void measured(std::int64_t cost_ns, std::int64_t step_ns);
  std::int64_t interval() const { return interval_; }

 private:
  std::int64_t cheapest_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t interval_ = 1;
  std::int64_t left_ = 0;
};

}  // namespace ringside::engine
