// Weights alone: read from any file of torch.save that holds a state dict (ours, or Python's),
// written as a plain one.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"
#include "trainer/engine/pickle_reader.h"
#include "trainer/models/model.h"

namespace ringside::engine {

/// Copies the values of a file over `state`. A file with a "model" entry (a checkpoint) gives that
/// entry. Names and shapes must be those of `state`; differences are listed in the error, a bad
/// request.
Result<void> load_weights(const std::filesystem::path& path, const models::NamedTensors& state);

/// The same from a value that was read already; `origin` names it in errors.
Result<void> copy_state_dict(const PickleValue& saved, const models::NamedTensors& state,
                             const std::string& origin);

/// A state dict that torch.load(weights_only=True) and load_weights read. Atomic.
Result<void> save_weights(const std::filesystem::path& path, const models::NamedTensors& state);

}  // namespace ringside::engine
