// Finds and loads the CUDA module. Call load_cuda() in main before any other LibTorch call:
// LibTorch caches whether CUDA is available, and even setting a seed checks it.
#pragma once

#include <string>

namespace ringside::cuda {

class CudaApi;

struct CudaModule {
  CudaApi* api = nullptr;  ///< null: CPU only; lives until the process ends
  std::string why_not;     ///< reason for users, when api is null
  bool expected = false;   ///< there is a GPU or a driver, so `why_not` should be reported
};

/// Loads ringside-trainer-cuda.so from the folder of the running program if this machine has an
/// NVIDIA driver. Never fails: without a driver, module or usable device the trainer runs on CPU
/// slots, and `why_not` has the reason.
CudaModule load_cuda();

/// CudaApi::build_text() of the module; empty without a module or a suitable driver. Call at most
/// once per process, which cannot use LibTorch otherwise.
std::string cuda_build_text();

}  // namespace ringside::cuda
