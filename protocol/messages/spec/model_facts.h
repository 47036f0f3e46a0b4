// Facts about a network that follow from its settings: its size, and why it cannot be built. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages/model_catalog.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// Number of parameters; 0 for an unknown name or stem.
std::int64_t parameter_count(const ModelSpec& spec, const ImageShape& images);

/// Why the network cannot be built for any images; empty when it can.
std::string model_misfit(const ModelSpec& spec);

}  // namespace ringside::messages
