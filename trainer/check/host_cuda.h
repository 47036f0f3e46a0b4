// Implements the trainer's CUDA interface on the host: a timeline with the host's clock, plain
// memory, and graphs that repeat the recorded calls. It lets any machine run the trainer's GPU code
// path. One per process.
#pragma once

#include "trainer/cuda/cuda_api.h"

namespace ringside::check {

cuda::CudaApi& host_cuda();

}  // namespace ringside::check
