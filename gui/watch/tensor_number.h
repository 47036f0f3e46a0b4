// Reads the number in a tensor of one element, as written by TensorFlow into event files. Sources:
// tensorflow/core/framework/tensor.proto and types.proto. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

namespace ringside::watch {

/// The value of a tensor of any real type: floats of 16, 32 and 64 bits, bfloat16, integers and
/// booleans. Nothing for text, for complex numbers and for more than one element.
std::optional<double> tensor_number(std::string_view tensor);

}  // namespace ringside::watch
