// The number in a tensor of one element, as TensorFlow writes it into event files. Sources:
// tensorflow/core/framework/tensor.proto and types.proto. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

namespace ringside::watch {

/// The value of a tensor of any kind of real numbers: floats of 16, 32 and 64 bits, bfloat16,
/// integers and truth values. Nothing for text, for complex numbers and for more elements than one.
std::optional<double> tensor_number(std::string_view tensor);

}  // namespace ringside::watch
