// Operations that ranks compute in a step, and how much of their devices' peak that is. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "gui/model/run_model_fwd.h"
#include "gui/view/table.h"

namespace ringside::view {

/// Published peak of a device without sparsity, in 10^12 operations per second; nothing: none is
/// known for this name, as PyTorch has it, or type ("bfloat16", "float16", "tf32", "float32").
std::optional<double> published_peak(std::string_view device, std::string_view type);

/// A row per rank and type that was counted (Scalars "flops/TYPE per step"); without rows where
/// nobody counted.
Table arithmetic_table(const model::RunModel& model);

}  // namespace ringside::view
