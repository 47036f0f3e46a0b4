// What a person can do about a failure of a GPU, by the words in which CUDA or LibTorch reports it.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace ringside::engine {

/// Advice in one sentence; empty where the text tells of no failure that is known here.
std::string gpu_advice(std::string_view thrown);

}  // namespace ringside::engine
