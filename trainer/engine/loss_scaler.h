// Keeps small fp16 gradients from vanishing: the loss is multiplied before the backward pass and
// the gradients divided after it; when they overflowed, the step is left out and the factor
// shrinks. The rule of torch.amp.GradScaler, on the device, so that a GPU is never waited for.
// Training thread only.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace ringside::engine {

/// What a checkpoint keeps of it.
struct ScalerState {
  double scale = 0.0;
  std::int64_t growth_tracker = 0;  ///< steps without overflow since the last change
};

class LossScaler {
 public:
  static constexpr double kFirstScale = 65536.0;
  static constexpr double kGrowth = 2.0;
  static constexpr double kBackoff = 0.5;
  static constexpr std::int64_t kGrowthInterval = 2000;  ///< steps

  /// Ranks that average their gradients over- or underflow together, so their scalers agree.
  explicit LossScaler(at::Device device, std::int64_t growth_interval = kGrowthInterval);

  at::Tensor scaled(const at::Tensor& loss) const;
  /// Divides the gradients in place and notes whether one of them is Inf or NaN.
  void unscale(const std::vector<at::Tensor>& gradients);
  /// Called after the optimizer: halves after an overflow, doubles after growth_interval good
  /// steps.
  void update();

  /// One float on the device: the factor of this step, until update().
  const at::Tensor& scale() const { return scale_; }
  /// One float on the device: not 0 when the newest gradients overflowed.
  const at::Tensor& found_inf() const { return found_inf_; }
  /// Waits for a GPU.
  ScalerState state() const;
  /// A scale of 0 or less is left alone.
  void set_state(const ScalerState& saved);

 private:
  std::int64_t growth_interval_;
  at::Tensor scale_;
  at::Tensor tracker_;
  at::Tensor found_inf_;
};

}  // namespace ringside::engine
