// Writes a value as torch.save does, so that torch.load(weights_only=True) reads it. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <ATen/core/ivalue.h>

#include "protocol/base/result.h"

namespace ringside::engine {

/// A record beside the value, which torch.load passes over.
struct TextRecord {
  std::string name;
  std::string text;
};

/// `value`: nested dicts, lists, numbers, texts, None and CPU tensors that own their whole storage.
/// Written beside `path`, synced and renamed over it (mode 0600): a reader sees the old file or the
/// whole new one. Returns its size.
Result<std::int64_t> write_torch_file(const std::filesystem::path& path, const c10::IValue& value,
                                      const std::vector<TextRecord>& records = {});

/// A copy for saving: detached, on the CPU, contiguous, with a storage of its own.
at::Tensor for_saving(const at::Tensor& tensor);

}  // namespace ringside::engine
