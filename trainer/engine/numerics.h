// Numerical settings of a rank: which ones its device supports, and LibTorch's process-wide
// switches for them. Training thread, before the network is built.
#pragma once

#include <string>
#include <vector>

#include <c10/core/ScalarType.h>

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"
#include "trainer/engine/device_placement.h"

namespace ringside::engine {

/// A bad request that names every setting that needs a GPU when this rank has none.
Result<void> check_numerics(const messages::RunSpec& spec, const DevicePlacement& placement);

/// Settings that are allowed but slow, one sentence each.
std::vector<std::string> numerics_warnings(const messages::RunSpec& spec,
                                           const DevicePlacement& placement);

/// Sets TF32, cuDNN's search for the fastest convolution, and the choice of deterministic
/// algorithms. With train.deterministic, an operation without a deterministic algorithm throws when
/// it is called.
void apply_numerics(const messages::RunSpec& spec);

/// ", TF32 in convolutions" if fp32 operations may be rounded like that on this device; otherwise
/// empty.
std::string tf32_text(const messages::RunSpec& spec, const DevicePlacement& placement);

/// The type of forward and loss where that is safe; at::kFloat: no autocast.
c10::ScalarType autocast_type(const messages::RunSpec& spec);

}  // namespace ringside::engine
