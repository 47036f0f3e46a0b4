// Implementation behind AnyModel, and what the networks in this folder are built from. Each network
// is one header that only model.cpp includes. Internal to this folder.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <utility>

#include "trainer/models/model.h"

namespace ringside::models {

struct AnyModel::Net {
  std::shared_ptr<torch::nn::Module> module;
  std::function<at::Tensor(const at::Tensor&)> forward;
  bool log_probabilities =
      false;  ///< the output has passed log-softmax: NLL instead of cross entropy
};

/// Arguments for building a network; already checked against it.
struct NetRequest {
  const messages::ModelSpec& spec;
  InputShape input;
  const NormFunction& over_ranks;
};

/// `module` is a torch::nn::Module with a member forward(images).
template <class Module>
std::shared_ptr<AnyModel::Net> make_net(std::shared_ptr<Module> module,
                                        bool log_probabilities = false) {
  auto forward = [net = module.get()](const at::Tensor& images) { return net->forward(images); };
  return std::make_shared<AnyModel::Net>(
      AnyModel::Net{std::move(module), std::move(forward), log_probabilities});
}

}  // namespace ringside::models
