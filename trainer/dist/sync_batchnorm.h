// Batch normalisation with statistics over the batches of all ranks, which LibTorch has only for
// Python. The function is called by the training thread and keeps the group alive.
#pragma once

#include <functional>
#include <tuple>

#include <ATen/core/Tensor.h>

#include "trainer/dist/process_groups.h"

namespace ringside::dist {

/// Arguments: input (n x c x ...), weight, bias, running mean, running variance, momentum, epsilon.
/// The same type as models::NormFunction.
using NormFunction =
    std::function<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                             const at::Tensor&, const at::Tensor&, double, double)>;

/// The kernels that torch.nn.SyncBatchNorm uses, with ATen's names; LibTorch has them only for
/// CUDA. Statistics have the accumulation type (float for half and bf16).
struct NormKernels {
  using Two = std::tuple<at::Tensor, at::Tensor>;
  using Four = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

  /// (input, epsilon) -> mean and 1 / sqrt(biased variance + epsilon), per channel.
  Two (*batch_norm_stats)(const at::Tensor&, double);
  /// (input, means (ranks x c), inverse standard deviations (ranks x c), running mean, running
  /// variance, momentum, epsilon, counts (ranks)) -> statistics of all samples; updates the running
  /// ones.
  Two (*batch_norm_gather_stats_with_counts)(const at::Tensor&, const at::Tensor&,
                                             const at::Tensor&, const at::Tensor&,
                                             const at::Tensor&, double, double, const at::Tensor&);
  /// (input, weight, bias, mean, inverse standard deviation, epsilon) -> output.
  at::Tensor (*batch_norm_elemt)(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                 const at::Tensor&, const at::Tensor&, double);
  /// (dy, input, mean, inverse standard deviation, weight) -> sum of dy, sum of dy (x - mean),
  /// gradients of weight and bias.
  Four (*batch_norm_backward_reduce)(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                     const at::Tensor&, const at::Tensor&);
  /// (dy, input, mean, inverse standard deviation, weight, both sums over the ranks, counts
  /// (int32)) -> gradient of the input.
  at::Tensor (*batch_norm_backward_elemt)(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                          const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                          const at::Tensor&, const at::Tensor&);
};

/// ATen's CUDA kernels.
const NormKernels& cuda_norm_kernels();

/// Equal to torch.nn.SyncBatchNorm in training: it normalises with the mean and biased variance
/// over all ranks, and the unbiased variance updates the running one. The gradient of the input
/// uses sums over all ranks; those of weight and bias are of this rank's samples (the reducer
/// averages them). Batches may differ in size and may be empty. Each call is a collective on the
/// gradients' group, and so is its backward pass, so every rank must run the same passes. Throws
/// what the group throws. With one rank returns an empty function, since plain batch normalisation
/// is the same. `kernels` must outlive the function and are used in the same way as in
/// torch.nn.SyncBatchNorm; null: operations that every device has.
NormFunction make_sync_batchnorm(const ProcessGroups& groups, const NormKernels* kernels = nullptr);

}  // namespace ringside::dist
