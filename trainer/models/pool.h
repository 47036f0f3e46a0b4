// The pooling of the small networks; ATen's takes a fifth of their time. Internal to this folder.
#pragma once

#include <ATen/core/Tensor.h>

namespace ringside::models {

/// relu(max_pool2d(x, 2)) with autograd, to the bit. Floats on the CPU whose sides are even go
/// through one pass of our own, forward and backward, in either memory format; others through ATen.
at::Tensor pooled_relu(const at::Tensor& x);

}  // namespace ringside::models
