// Stochastic gradient descent as one fused kernel over all parameters; the formulas of
// torch.optim.SGD. Training thread only.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "protocol/messages/run_spec.h"

namespace ringside::engine {

class Sgd {
 public:
  /// `parameters`: the network's own tensors, on their device.
  Sgd(const std::vector<at::Tensor>& parameters, const messages::OptimizerSpec& spec);

  /// One update with `gradients` in the order of the parameters.
  void step(const std::vector<at::Tensor>& gradients, double learning_rate);

  /// One buffer per parameter; empty before the first step and without momentum.
  std::vector<at::Tensor> momentum() const;
  /// Copies saved buffers in; the shapes must be those of the parameters. Empty: none.
  void set_momentum(const std::vector<at::Tensor>& saved);

 private:
  messages::OptimizerSpec spec_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> momentum_;
  bool first_ = true;
};

}  // namespace ringside::engine
