// The pooling of the small networks; ATen's would take a fifth of their time. Internal to this
// folder.
#pragma once

#include <ATen/core/Tensor.h>

namespace ringside::models {

/// relu(max_pool2d(x, 2)) with autograd, bitwise equal to ATen's. Floats on the CPU with even sides
/// take one pass of our own, forward and backward, in either memory format; others use ATen.
at::Tensor pooled_relu(const at::Tensor& x);

}  // namespace ringside::models
