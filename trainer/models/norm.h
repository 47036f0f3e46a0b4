// Batch normalisation of the networks: a torch::nn::BatchNorm2d with the same names, which in
// training uses a given NormFunction, if any. Internal to this folder.
#pragma once

#include <torch/torch.h>

#include <utility>

#include "trainer/models/model.h"

namespace ringside::models {

class NormImpl : public torch::nn::BatchNorm2dImpl {
 public:
  NormImpl(std::int64_t channels, NormFunction over_ranks)
      : torch::nn::BatchNorm2dImpl(torch::nn::BatchNorm2dOptions(channels)),
        over_ranks_(std::move(over_ranks)) {}

  at::Tensor forward(const at::Tensor& x) {
    if (!over_ranks_ || !is_training()) return torch::nn::BatchNorm2dImpl::forward(x);
    num_batches_tracked += 1;
    return over_ranks_(x, weight, bias, running_mean, running_var, *options.momentum(),
                       options.eps());
  }

 private:
  NormFunction over_ranks_;
};
TORCH_MODULE(Norm);

}  // namespace ringside::models
