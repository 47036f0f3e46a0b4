// The trainer's door to CUDA over the host itself: a timeline of the host's clock, plain memory,
// and graphs that call again what was recorded. With it the road that a GPU takes through the
// trainer can be gone on any machine. One for the process.
#pragma once

#include "trainer/cuda/cuda_api.h"

namespace ringside::check {

cuda::CudaApi& host_cuda();

}  // namespace ringside::check
