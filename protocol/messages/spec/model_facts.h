// What is known of a network from its settings alone: its size, and why it cannot be built. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages/model_catalog.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

/// Parameters of the network; 0 for an unknown name or stem.
std::int64_t parameter_count(const ModelSpec& spec, const ImageShape& images);

/// Why the network cannot be built, whatever its images; empty: it can.
std::string model_misfit(const ModelSpec& spec);

}  // namespace ringside::messages
