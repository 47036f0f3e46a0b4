// Weights alone: read from any file of torch.save that holds a state dict (ours, or Python's) or
// from safetensors, and written as either. Any thread.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"
#include "trainer/engine/checkpoint/pickle_reader.h"
#include "trainer/models/model.h"

namespace ringside::engine {

/// Names and values, on the CPU. By content, not by the file's name: safetensors, or a file of
/// torch.save. The latter is a state dict itself or has one as "model", "state_dict",
/// "model_state_dict" or "MODEL_STATE". The "module." that Python's DistributedDataParallel puts
/// before every name is taken off.
Result<models::NamedTensors> read_weights(const std::filesystem::path& path);

/// Copies the values of a file that read_weights reads over `state` (as AnyModel::state() gives
/// it). Names and shapes must be those of `state`; differences are listed in the error, a bad
/// request, and nothing is changed. Types of numbers are converted.
Result<void> load_weights(const std::filesystem::path& path, const models::NamedTensors& state);

/// The same from a value that was read already; `origin` names it in errors.
Result<void> copy_state_dict(const PickleValue& saved, const models::NamedTensors& state,
                             const std::string& origin);

/// By the name of the file: safetensors where it ends so, else a state dict that
/// torch.load(weights_only=True) reads. Atomic.
Result<void> save_weights(const std::filesystem::path& path, const models::NamedTensors& state);

}  // namespace ringside::engine
