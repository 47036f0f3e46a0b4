#include "trainer/engine/optimizer.h"

#include <torch/torch.h>

namespace ringside::engine {
namespace {

Result<void> copy_list(const std::string& name, const std::vector<at::Tensor>& saved,
                       std::vector<at::Tensor>& into) {
  if (saved.size() != into.size()) {
    return bad_request("the saved \"" + name + "\" of the optimizer is of " +
                       std::to_string(saved.size()) + " parameters, the network has " +
                       std::to_string(into.size()));
  }
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (!saved[i].defined() || saved[i].sizes() != into[i].sizes()) {
      return bad_request("the saved \"" + name + "\" of the optimizer's parameter " +
                         std::to_string(i) + " has another shape than the network's");
    }
  }
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < into.size(); ++i) into[i].copy_(saved[i]);
  return {};
}

const std::vector<at::Tensor>* find_list(const OptimizerState& state, const std::string& name) {
  for (const auto& [key, tensors] : state.lists) {
    if (key == name) return &tensors;
  }
  return nullptr;
}

std::optional<at::Tensor> if_defined(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}

}  // namespace

Optimizer::Optimizer(const std::vector<at::Tensor>& parameters, const messages::OptimizerSpec& spec)
    : spec_(spec),
      rule_(spec.name == "adam"    ? Rule::kAdam
            : spec.name == "adamw" ? Rule::kAdamW
                                   : Rule::kSgd) {
  const at::NoGradGuard no_grad;
  const bool adaptive = rule_ != Rule::kSgd;
  for (const auto& parameter : parameters) {
    parameters_.push_back(parameter.detach());
    if (adaptive || spec.momentum != 0.0) first_moments_.push_back(at::zeros_like(parameter));
    if (adaptive) second_moments_.push_back(at::zeros_like(parameter));
  }
  if (parameters.empty()) return;
  steps_ = at::zeros({}, parameters.front().options().dtype(at::kFloat).requires_grad(false));
  if (adaptive) steps_of_each_.assign(parameters.size(), steps_);
}

template <class Rate>
void Optimizer::update(const std::vector<at::Tensor>& gradients, const Rate& learning_rate,
                       const at::Tensor& found_inf) {
  const at::NoGradGuard no_grad;
  const auto skip = if_defined(found_inf);
  begun_ = true;
  if (rule_ == Rule::kSgd) {
    // With buffers of zeros the first step is like any other: 0 * momentum + gradient.
    at::_fused_sgd_(parameters_, gradients, first_moments_, spec_.weight_decay, spec_.momentum,
                    learning_rate, /*dampening=*/0.0, spec_.nesterov, /*maximize=*/false,
                    /*is_first_step=*/false, /*grad_scale=*/std::nullopt, skip);
    return;
  }
  steps_.add_(1);
  const auto apply = [&](const auto& kernel) {
    kernel(parameters_, gradients, first_moments_, second_moments_, std::vector<at::Tensor>{},
           steps_of_each_, learning_rate, spec_.beta1, spec_.beta2, spec_.weight_decay, spec_.eps,
           /*amsgrad=*/false, /*maximize=*/false, std::optional<at::Tensor>{}, skip);
  };
  if (rule_ == Rule::kAdam) {
    apply([](const auto&... arguments) { at::_fused_adam_(arguments...); });
  } else {
    apply([](const auto&... arguments) { at::_fused_adamw_(arguments...); });
  }
  if (skip) steps_.sub_(skip->squeeze());
}

void Optimizer::step(const std::vector<at::Tensor>& gradients, double learning_rate,
                     const at::Tensor& found_inf) {
  update(gradients, learning_rate, found_inf);
}

void Optimizer::step(const std::vector<at::Tensor>& gradients, const at::Tensor& learning_rate,
                     const at::Tensor& found_inf) {
  update(gradients, learning_rate, found_inf);
}

std::int64_t Optimizer::state_bytes() const {
  std::int64_t bytes = 0;
  for (const auto* moments : {&first_moments_, &second_moments_}) {
    for (const at::Tensor& one : *moments) bytes += static_cast<std::int64_t>(one.nbytes());
  }
  return bytes;
}

OptimizerState Optimizer::state() const {
  OptimizerState state;
  if (!begun_) return state;
  state.steps = steps_.defined() ? std::llround(steps_.item<double>()) : 0;
  if (rule_ != Rule::kSgd) {
    state.lists.emplace_back("exp_avg", first_moments_);
    state.lists.emplace_back("exp_avg_sq", second_moments_);
  } else if (!first_moments_.empty()) {
    state.lists.emplace_back("momentum_buffer", first_moments_);
  }
  return state;
}

Result<void> Optimizer::set_state(const OptimizerState& saved) {
  if (saved.lists.empty()) return {};
  const bool adaptive = rule_ != Rule::kSgd;
  const std::string first_name = adaptive ? "exp_avg" : "momentum_buffer";
  const auto* first = find_list(saved, first_name);
  const auto* second = find_list(saved, "exp_avg_sq");
  if (first == nullptr || (second != nullptr) != adaptive) {
    return bad_request("the saved state is of another optimizer than optimizer.name = \"" +
                       spec_.name + "\", which needs \"" + first_name + "\"");
  }
  if (first_moments_.empty()) return {};  // without momentum there is no state
  if (auto copied = copy_list(first_name, *first, first_moments_); !copied) return copied;
  if (adaptive) {
    if (auto copied = copy_list("exp_avg_sq", *second, second_moments_); !copied) return copied;
  }
  const at::NoGradGuard no_grad;
  if (steps_.defined()) steps_.fill_(static_cast<double>(saved.steps));
  begun_ = true;
  return {};
}

}  // namespace ringside::engine
