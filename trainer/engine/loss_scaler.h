// Prevents underflow of small fp16 gradients: the loss is multiplied by a factor before the
// backward pass, and the gradients are divided by it afterwards. If they overflowed, the step is
// skipped and the factor shrinks. The rule is that of torch.amp.GradScaler, but computed on the
// device without synchronizing. Training thread only.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace ringside::engine {

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

  /// Every rank has its own scaler. They agree without communication, since all ranks see the same
  /// averaged gradients.
  explicit LossScaler(at::Device device, std::int64_t growth_interval = kGrowthInterval);

  at::Tensor scaled(const at::Tensor& loss) const;
  /// Divides the gradients in place and records whether one of them is Inf or NaN.
  void unscale(const std::vector<at::Tensor>& gradients);
  /// Called after the optimizer: halves the factor after an overflow, doubles it after
  /// growth_interval good steps.
  void update();

  /// The factor of this step, one float on the device; changed by update().
  const at::Tensor& scale() const { return scale_; }
  /// One float on the device: not 0 when the newest gradients overflowed.
  const at::Tensor& found_inf() const { return found_inf_; }
  /// Synchronizes with the GPU.
  ScalerState state() const;
  /// Does nothing if the saved scale is not positive.
  void set_state(const ScalerState& saved);

 private:
  std::int64_t growth_interval_;
  at::Tensor scale_;
  at::Tensor tracker_;
  at::Tensor found_inf_;
};

}  // namespace ringside::engine
