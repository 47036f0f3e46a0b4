// Weights alone: read from any file of torch.save that holds a state dict (ours, or Python's) or
// from safetensors, and written as either. Any thread.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"
#include "trainer/engine/checkpoint/pickle_reader.h"
#include "trainer/models/model.h"

namespace ringside::engine {

/// Names and values, on the CPU, of the largest dict of tensors in the file. By content, not by the
/// file's name: safetensors, or a file of torch.save. Names are without what torch.compile, FSDP
/// and DDP put into them.
Result<models::NamedTensors> read_weights(const std::filesystem::path& path);

/// Copies values over `state` (as AnyModel::state() gives it) from wherever in the file they stand:
/// the file itself, a dict in it ("state_dict", "net", "ema/model"), behind a prefix of their names
/// ("module.", "model."). What an optimizer keeps is left out. Names and shapes must be those of
/// `state`; differences are listed in the error, a bad request, as are several sets of weights that
/// fit and differ, as of a model and its average, and nothing is changed. Types of numbers are
/// converted.
Result<void> load_weights(const std::filesystem::path& path, const models::NamedTensors& state);

/// Copies values as load_weights() does, from a value that was read already; `origin` names it in
/// errors.
Result<void> copy_state_dict(const PickleValue& saved, const models::NamedTensors& state,
                             const std::string& origin);

/// Saves in the form that the name of the file asks for: safetensors where it ends so, else a state
/// dict that torch.load(weights_only=True) reads. Atomic.
Result<void> save_weights(const std::filesystem::path& path, const models::NamedTensors& state);

}  // namespace ringside::engine
