// Writes a value in the format of torch.save, so that torch.load(weights_only=True) reads it. Any
// thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <ATen/core/ivalue.h>

#include "protocol/base/result.h"

namespace ringside::engine {

/// An additional record of the archive, which torch.load ignores.
struct TextRecord {
  std::string name;
  std::string text;
};

/// `value` consists of nested dicts, lists, numbers, texts, None and CPU tensors that own their
/// whole storage. Atomic: written beside `path`, synced and renamed over it (mode 0600). Returns
/// the size in bytes.
Result<std::int64_t> write_torch_file(const std::filesystem::path& path, const c10::IValue& value,
                                      const std::vector<TextRecord>& records = {});

/// A copy for saving: detached, on the CPU, contiguous, with its own storage.
at::Tensor for_saving(const at::Tensor& tensor);

}  // namespace ringside::engine
