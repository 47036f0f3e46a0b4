// Batch normalisation whose statistics are those of the batches of all ranks together, which
// LibTorch has for Python only. The function is called by the training thread and outlives nothing:
// it holds the group itself.
#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

#include "trainer/dist/process_groups.h"

namespace ringside::dist {

/// (input n x c x ..., weight, bias, running mean, running variance, momentum, epsilon); the same
/// type as models::NormFunction.
using NormFunction =
    std::function<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                             const at::Tensor&, const at::Tensor&, double, double)>;

/// Equal to torch.nn.SyncBatchNorm in training: mean and biased variance over all ranks normalise,
/// the unbiased variance goes into the running one; the gradient of the input follows from sums
/// over all ranks, those of weight and bias are of this rank's samples (the reducer averages them).
/// Batches may differ in size and may be empty. Each call is a collective on the gradients' group,
/// and so is its part of the backward pass: every rank runs the same passes. Throws what the group
/// throws. With one rank an empty function: plain batch normalisation is the same.
NormFunction make_sync_batchnorm(const ProcessGroups& groups);

}  // namespace ringside::dist
