// Finds out which GPUs a CUDA library runs on, from the flags that it was built with. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::messages {

/// The names "sm_75", "sm_90a", "compute_120" in NVCC's flags
/// ("-gencode;arch=compute_75,code=sm_75;..."), which may be part of a longer text. Empty when the
/// text has no such flags.
std::vector<std::string> cuda_code(std::string_view build_flags);

/// `capability` is the compute capability of the GPU, "8.6". Machine code (sm) runs on GPUs of the
/// same major version from its minor version on, PTX (compute) also on all later GPUs (CUDA's
/// binary and PTX compatibility). True when either is unknown.
bool runs_code(const std::vector<std::string>& code, std::string_view capability);

/// "compute capability 6.1 is not among what LibTorch was built for (sm_75, sm_80)"; empty when the
/// code runs.
std::string code_misfit(const std::vector<std::string>& code, std::string_view capability);

}  // namespace ringside::messages
