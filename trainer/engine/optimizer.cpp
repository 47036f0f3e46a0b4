#include "trainer/engine/optimizer.h"

#include <torch/torch.h>

namespace ringside::engine {

Sgd::Sgd(const std::vector<at::Tensor>& parameters, const messages::OptimizerSpec& spec)
    : spec_(spec) {
  const at::NoGradGuard no_grad;
  for (const auto& parameter : parameters) {
    parameters_.push_back(parameter.detach());
    if (spec.momentum != 0.0) momentum_.push_back(at::zeros_like(parameter));
  }
}

void Sgd::step(const std::vector<at::Tensor>& gradients, double learning_rate) {
  const at::NoGradGuard no_grad;
  at::_fused_sgd_(parameters_, gradients, momentum_, spec_.weight_decay, spec_.momentum,
                  learning_rate,
                  /*dampening=*/0.0, spec_.nesterov, /*maximize=*/false, first_);
  first_ = false;
}

std::vector<at::Tensor> Sgd::momentum() const {
  return first_ ? std::vector<at::Tensor>{} : momentum_;
}

void Sgd::set_momentum(const std::vector<at::Tensor>& saved) {
  if (saved.empty() || momentum_.empty()) return;
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < momentum_.size(); ++i) momentum_[i].copy_(saved[i]);
  first_ = false;
}

}  // namespace ringside::engine
