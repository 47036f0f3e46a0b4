// Updates all parameters with one fused kernel: SGD, Adam or AdamW with the formulas of
// torch.optim. Training thread only.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::engine {

/// State of an optimizer, named as in torch.optim: "momentum_buffer" (SGD with momentum), "exp_avg"
/// and "exp_avg_sq" (Adam, AdamW). Each list has one tensor per parameter; before the first update
/// there are no lists.
struct OptimizerState {
  std::int64_t steps = 0;  ///< updates that were not skipped; "step" of torch's Adam and AdamW
  std::vector<std::pair<std::string, std::vector<at::Tensor>>> lists;
};

class Optimizer {
 public:
  /// `parameters` are the network's own tensors, on their device.
  Optimizer(const std::vector<at::Tensor>& parameters, const messages::OptimizerSpec& spec);

  /// One update with `gradients` in the order of the parameters. If `found_inf` (from the loss
  /// scaler: one float on their device) is defined and not 0, nothing changes.
  void step(const std::vector<at::Tensor>& gradients, double learning_rate,
            const at::Tensor& found_inf = {});
  /// Updates with a learning rate on the device (one float), for a recorded step.
  void step(const std::vector<at::Tensor>& gradients, const at::Tensor& learning_rate,
            const at::Tensor& found_inf = {});

  /// Size of the state's lists in bytes; does not wait for a GPU.
  std::int64_t state_bytes() const;
  /// The lists share the optimizer's memory. Waits for a GPU.
  OptimizerState state() const;
  /// Copies saved lists; without lists it starts from an empty state. A bad request when they are
  /// of another optimizer or of parameters of other shapes.
  Result<void> set_state(const OptimizerState& saved);

 private:
  enum class Rule { kSgd, kAdam, kAdamW };
  template <class Rate>
  void update(const std::vector<at::Tensor>& gradients, const Rate& learning_rate,
              const at::Tensor& found_inf);

  messages::OptimizerSpec spec_;
  Rule rule_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> first_moments_;   ///< momentum_buffer or exp_avg
  std::vector<at::Tensor> second_moments_;  ///< exp_avg_sq
  at::Tensor steps_;                        ///< one float on the device, as the kernels require
  std::vector<at::Tensor> steps_of_each_;   ///< the same tensor for every parameter
  bool begun_ = false;
};

}  // namespace ringside::engine
