#include "trainer/engine/grad_norm.h"

#include <algorithm>
#include <cmath>

#include <torch/torch.h>

namespace ringside::engine {

at::Tensor l2_norm(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  if (tensors.empty()) return at::zeros({});
  if (tensors.size() == 1) return at::linalg_vector_norm(tensors.front());
  return at::linalg_vector_norm(at::stack(at::_foreach_norm(tensors)));
}

bool MeasuringSchedule::due() {
  if (left_ > 0) {
    --left_;
    return false;
  }
  left_ = interval_ - 1;
  return true;
}

void MeasuringSchedule::measured(std::int64_t cost_ns, std::int64_t step_ns) {
  if (step_ns <= 0) return;
  // The minimum is used, since the first measurement and interrupted ones take longer.
  cheapest_ns_ = std::min(cheapest_ns_, cost_ns);
  const double allowed_ns = kShare * static_cast<double>(step_ns);
  const auto wanted =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(cheapest_ns_) / allowed_ns));
  interval_ = std::clamp<std::int64_t>(wanted, 1, kLongest);
  left_ = interval_ - 1;
}

}  // namespace ringside::engine
