// Advice for a GPU failure, by the error text of CUDA or LibTorch. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ringside::engine {

/// One sentence of advice for this error text; empty if it is not a known failure.
std::string gpu_advice(std::string_view thrown);

}  // namespace ringside::engine
