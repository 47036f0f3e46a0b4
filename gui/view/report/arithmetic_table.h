// Operations that ranks compute in a step, and their share of the devices' peak. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "gui/model/run_model_fwd.h"
#include "gui/view/table.h"

namespace ringside::view {

/// The published peak of a device without sparsity, in 10^12 operations per second; nothing if it
/// is unknown for this name (PyTorch's name of the device) or type ("bfloat16", "float16", "tf32",
/// "float32").
std::optional<double> published_peak(std::string_view device, std::string_view type);

/// A row per rank and counted type (Scalars "flops/TYPE per step"); no rows if nothing was counted.
Table arithmetic_table(const model::RunModel& model);

}  // namespace ringside::view
