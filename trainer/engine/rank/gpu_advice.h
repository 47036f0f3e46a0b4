// What a person can do about a failure of a GPU, by the words in which CUDA or LibTorch reports it.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace ringside::engine {

/// One sentence of advice for this error text; empty if it is not a known failure.
std::string gpu_advice(std::string_view thrown);

}  // namespace ringside::engine
