#include "trainer/engine/loss_scaler.h"

#include <torch/torch.h>

namespace ringside::engine {

LossScaler::LossScaler(at::Device device, std::int64_t growth_interval)
    : growth_interval_(growth_interval),
      scale_(at::full({1}, kFirstScale, at::TensorOptions(device).dtype(at::kFloat))),
      tracker_(at::zeros({1}, at::TensorOptions(device).dtype(at::kInt))),
      found_inf_(at::zeros({1}, at::TensorOptions(device).dtype(at::kFloat))) {}

at::Tensor LossScaler::scaled(const at::Tensor& loss) const { return loss * scale_.squeeze(0); }

void LossScaler::unscale(const std::vector<at::Tensor>& gradients) {
  const at::NoGradGuard no_grad;
  found_inf_.zero_();
  // The reciprocal goes through double, as in PyTorch; for a power of two it is exact.
  at::_amp_foreach_non_finite_check_and_unscale_(
      gradients, found_inf_, scale_.to(at::kDouble).reciprocal().to(at::kFloat));
}

void LossScaler::update() {
  const at::NoGradGuard no_grad;
  at::_amp_update_scale_(scale_, tracker_, found_inf_, kGrowth, kBackoff, growth_interval_);
}

ScalerState LossScaler::state() const {
  return {scale_.item<double>(), tracker_.item<std::int64_t>()};
}

void LossScaler::set_state(const ScalerState& saved) {
  if (!(saved.scale > 0.0)) return;
  const at::NoGradGuard no_grad;
  scale_.fill_(saved.scale);
  tracker_.fill_(saved.growth_tracker);
}

}  // namespace ringside::engine
