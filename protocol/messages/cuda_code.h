// Tells which GPUs a library of CUDA code runs on, from the flags that it was built with. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::messages {

/// "sm_75", "sm_90a", "compute_120" of NVCC's flags ("-gencode;arch=compute_75,code=sm_75;..."),
/// which may stand in a longer text. Empty: it holds no such flags.
std::vector<std::string> cuda_code(std::string_view build_flags);

/// `capability`: compute capability of the GPU, "8.6". Machine code (sm) runs on GPUs of its own
/// major number from its minor number on, PTX (compute) on all later ones too: CUDA's binary and
/// PTX compatibility. True when either is not known.
bool runs_code(const std::vector<std::string>& code, std::string_view capability);

/// "compute capability 6.1 is not among what LibTorch was built for (sm_75, sm_80)"; empty when it
/// runs.
std::string code_misfit(const std::vector<std::string>& code, std::string_view capability);

}  // namespace ringside::messages
