// Reads weights from any file of torch.save that contains a state dict (ours or Python's) or from
// safetensors, and writes them as either. Any thread.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"
#include "trainer/engine/checkpoint/pickle_reader.h"
#include "trainer/models/model.h"

namespace ringside::engine {

/// Names and values, on the CPU, of the largest dict of tensors in the file. The format is detected
/// by content, not by file name. Prefixes that torch.compile, FSDP and DDP add to names are
/// removed.
Result<models::NamedTensors> read_weights(const std::filesystem::path& path);

/// Copies values into `state` (from AnyModel::state()), wherever they are in the file: at the top
/// level, in a dict ("state_dict", "net", "ema/model"), or with a prefix in their names ("module.",
/// "model."). Optimizer state is ignored. Names and shapes must be those of `state`; differences
/// are listed in the error, a bad request. Several matching sets of weights that differ, such as a
/// model and its moving average, are also a bad request. On error nothing is changed. Number types
/// are converted.
Result<void> load_weights(const std::filesystem::path& path, const models::NamedTensors& state);

/// Like load_weights(), from a value that was already read; `origin` names it in errors.
Result<void> copy_state_dict(const PickleValue& saved, const models::NamedTensors& state,
                             const std::string& origin);

/// Saves in the format of the file name: safetensors if it has that extension, else a state dict
/// that torch.load(weights_only=True) reads. Atomic.
Result<void> save_weights(const std::filesystem::path& path, const models::NamedTensors& state);

}  // namespace ringside::engine
