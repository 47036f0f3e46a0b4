// Keeps small fp16 gradients from underflowing: the loss is multiplied by a factor before the
// backward pass and the gradients divided by it afterwards; if they overflowed, the step is skipped
// and the factor shrinks. Same rule as torch.amp.GradScaler, but computed on the device without
// synchronizing. Training thread only.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace ringside::engine {

/// The part of a LossScaler that is saved in a checkpoint.
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

  /// Every rank has a scaler of its own. They agree without communication, since all ranks see the
  /// same averaged gradients.
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
  /// Synchronizes with the GPU.
  ScalerState state() const;
  /// Does nothing if the saved scale is 0 or less.
  void set_state(const ScalerState& saved);

 private:
  std::int64_t growth_interval_;
  at::Tensor scale_;
  at::Tensor tracker_;
  at::Tensor found_inf_;
};

}  // namespace ringside::engine
