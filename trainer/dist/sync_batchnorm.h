// Batch normalisation whose statistics are those of the batches of all ranks together, which
// LibTorch has for Python only. The function is called by the training thread and outlives nothing:
// it holds the group itself.
#pragma once

#include <functional>
#include <tuple>

#include <ATen/core/Tensor.h>

#include "trainer/dist/process_groups.h"

namespace ringside::dist {

/// (input n x c x ..., weight, bias, running mean, running variance, momentum, epsilon); the same
/// type as models::NormFunction.
using NormFunction =
    std::function<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                             const at::Tensor&, const at::Tensor&, double, double)>;

/// The kernels that torch.nn.SyncBatchNorm is made of, under ATen's names; LibTorch has them for
/// CUDA only. Statistics are of the type that sums are made in (float for half and bf16).
struct NormKernels {
  using Two = std::tuple<at::Tensor, at::Tensor>;
  using Four = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

  /// input, epsilon -> mean and 1 / sqrt(biased variance + epsilon), per channel.
  Two (*batch_norm_stats)(const at::Tensor&, double);
  /// input, means (ranks x c), inverse deviations (ranks x c), running mean, running variance,
  /// momentum, epsilon, counts (ranks) -> those of all samples; updates the running ones.
  Two (*batch_norm_gather_stats_with_counts)(const at::Tensor&, const at::Tensor&,
                                             const at::Tensor&, const at::Tensor&,
                                             const at::Tensor&, double, double, const at::Tensor&);
  /// input, weight, bias, mean, inverse deviation, epsilon -> output.
  at::Tensor (*batch_norm_elemt)(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                 const at::Tensor&, const at::Tensor&, double);
  /// dy, input, mean, inverse deviation, weight -> sum of dy, sum of dy (x - mean), gradients of
  /// weight and of bias.
  Four (*batch_norm_backward_reduce)(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                     const at::Tensor&, const at::Tensor&);
  /// dy, input, mean, inverse deviation, weight, both sums over the ranks, counts (int32) ->
  /// gradient of the input.
  at::Tensor (*batch_norm_backward_elemt)(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                          const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                          const at::Tensor&, const at::Tensor&);
};

/// ATen's own.
const NormKernels& cuda_norm_kernels();

/// Equal to torch.nn.SyncBatchNorm in training: mean and biased variance over all ranks normalise,
/// the unbiased variance goes into the running one; the gradient of the input follows from sums
/// over all ranks, those of weight and bias are of this rank's samples (the reducer averages them).
/// Batches may differ in size and may be empty. Each call is a collective on the gradients' group,
/// and so is its part of the backward pass: every rank runs the same passes. Throws what the group
/// throws. With one rank an empty function: plain batch normalisation is the same. `kernels`, which
/// outlive the function: what it is computed with, kernel by kernel as torch.nn.SyncBatchNorm does;
/// nullptr: operations that every device has.
NormFunction make_sync_batchnorm(const ProcessGroups& groups, const NormKernels* kernels = nullptr);

}  // namespace ringside::dist
