// The networks that can be trained, behind one value type. Used by the training thread only; copies
// share the network. All members except make_model may throw LibTorch's exceptions.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/model_catalog.h"
#include "protocol/messages/spec/run_spec.h"

namespace torch::nn {
class Module;
}

namespace ringside::models {

using InputShape = messages::ImageShape;
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// Batch normalisation of n x c x h x w in training: (input, weight, bias, running mean, running
/// variance, momentum, epsilon). Updates the running tensors in place and returns the normalised
/// input, with autograd. dist::make_sync_batchnorm creates one over all ranks.
using NormFunction =
    std::function<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                             const at::Tensor&, const at::Tensor&, double, double)>;

class AnyModel {
 public:
  struct Net;  ///< a network and its loss; internal
  explicit AnyModel(std::shared_ptr<Net> net) : net_(std::move(net)) {}

  /// images: float n x c x h x w. Returns n x classes: log-probabilities (convnet) or logits
  /// (the others).
  at::Tensor forward(const at::Tensor& images);
  /// Mean over the samples: NLL of log-probabilities, cross entropy of logits. labels: int64 n.
  at::Tensor loss(const at::Tensor& output, const at::Tensor& labels) const;
  /// The sum of the losses instead of the mean, for exact evaluation over shards.
  at::Tensor loss_sum(const at::Tensor& output, const at::Tensor& labels) const;

  /// true: dropout and batch statistics as in training.
  void set_training(bool training);
  /// torchvision's names in torchvision's order; the tensors are the network's own.
  NamedTensors named_parameters() const;
  NamedTensors named_buffers() const;
  /// Parameters and buffers in the order of Python's state_dict(): module by module.
  NamedTensors state() const;
  std::int64_t parameter_count() const;
  /// The module for to(device), memory formats and the like.
  torch::nn::Module& module();

 private:
  std::shared_ptr<Net> net_;
};

/// Builds the network with random weights from `seed`: equal on all ranks, and equal to what Python
/// builds after torch.manual_seed(seed). Sets the global CPU generator. Does not read
/// spec.init_from (the caller copies weights into state()). `over_ranks` replaces batch
/// normalisation in training if spec.sync_batchnorm is set; empty: statistics of this rank only.
/// Bad request when the network does not support such images, or lacks a requested part.
Result<AnyModel> make_model(const messages::ModelSpec& spec, const InputShape& input,
                            std::uint64_t seed, const NormFunction& over_ranks = {});

}  // namespace ringside::models
