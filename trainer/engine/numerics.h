// How a rank calculates: which settings its device can have, and LibTorch's process-wide switches
// for them. Training thread, before the network is built.
#pragma once

#include <string>
#include <vector>

#include <c10/core/ScalarType.h>

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"
#include "trainer/engine/device_placement.h"

namespace ringside::engine {

/// A bad request that names every setting that needs a GPU, when this rank has none.
Result<void> check_numerics(const messages::RunSpec& spec, const DevicePlacement& placement);

/// What is possible here but slow, one sentence each.
std::vector<std::string> numerics_warnings(const messages::RunSpec& spec,
                                           const DevicePlacement& placement);

/// TF32, cuDNN's search for the fastest convolution, and the choice of deterministic algorithms.
/// With train.deterministic an operation that has none throws when it is called.
void apply_numerics(const messages::RunSpec& spec);

/// ", TF32 in convolutions" where fp32 work may be rounded so on this device; empty: nowhere.
std::string tf32_text(const messages::RunSpec& spec, const DevicePlacement& placement);

/// What forward and loss are calculated in where that is safe; at::kFloat: no autocast.
c10::ScalarType autocast_type(const messages::RunSpec& spec);

}  // namespace ringside::engine
