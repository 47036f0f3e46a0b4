// Reads files of torch.save as data, never as code: zip archives, and what torch wrote before
// version 1.6. A pickled object is refused by name. Pure but for reading the file.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"
#include "trainer/engine/checkpoint/pickle_value.h"

namespace ringside::engine {

/// The whole file, after the checksums of an archive were compared; tensors are on the CPU and own
/// their memory or share it among themselves.
Result<PickleValue> read_torch_file(const std::filesystem::path& path);

/// Written by torch.save before version 1.6, or in that form since.
bool is_legacy_torch_file(const std::filesystem::path& path);

}  // namespace ringside::engine
