// Reads files written by torch.save as data, never as code: zip archives, and the format before
// PyTorch 1.6. Pickled objects are refused by name. Pure but for reading the file.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"
#include "trainer/engine/checkpoint/pickle_value.h"

namespace ringside::engine {

/// Reads the whole file after checking an archive's checksums; tensors are on the CPU and own their
/// memory or share it with each other.
Result<PickleValue> read_torch_file(const std::filesystem::path& path);

/// Whether the file has torch.save's format from before version 1.6.
bool is_legacy_torch_file(const std::filesystem::path& path);

}  // namespace ringside::engine
