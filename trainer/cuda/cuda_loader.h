// Finds and loads the CUDA module. Call load_cuda() before anything else of LibTorch in main:
// LibTorch remembers its first answer to "is there CUDA", and even setting a seed asks.
#pragma once

#include <string>

namespace ringside::cuda {

class CudaApi;

struct CudaModule {
  CudaApi* api = nullptr;  ///< nullptr: CPU only; lives until the process ends
  std::string why_not;     ///< for a person, when api is nullptr
  bool expected = false;   ///< a GPU or its driver is here, so that `why_not` is news
};

/// Loads ringside-trainer-cuda.so from beside the running program when this machine has an NVIDIA
/// driver. Never fails: without a driver, module or usable device the trainer runs on CPU slots,
/// and `why_not` says why.
CudaModule load_cuda();

/// CudaApi::build_text() of the module; empty: there is no module, or no driver that fits it. Once
/// per process, which can do nothing else with LibTorch then.
std::string cuda_build_text();

}  // namespace ringside::cuda
