// Reads files of torch.save as data. Knows the opcodes that plain containers, numbers, texts and
// tensors need, and a few harmless globals; everything else, above all a pickled object, is refused
// by name. Pure but for reading the file.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"
#include "trainer/engine/checkpoint/pickle_value.h"

namespace ringside::engine {

/// The whole file, after its checksums were compared; tensors are on the CPU and own their memory
/// or share it among themselves.
Result<PickleValue> read_torch_file(const std::filesystem::path& path);

}  // namespace ringside::engine
