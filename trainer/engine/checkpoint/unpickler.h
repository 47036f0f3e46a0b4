// Reads one pickle as data: the opcodes for plain containers, numbers, texts and tensors, and a few
// harmless globals. Everything else, above all a pickled object, is refused by name. Used only by
// the reader of torch.save's files. Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "trainer/engine/checkpoint/pickle_value.h"

namespace ringside::engine {

/// Returns the one-dimensional elements of a storage by its key, as many as requested. Throws
/// Refused.
using StorageData =
    std::function<at::Tensor(const std::string& key, at::ScalarType type, std::int64_t count)>;

/// Advice on converting a file that cannot be read.
inline constexpr const char* kConvert =
    "convert it where you trust it: python -c \"import sys, torch; f = sys.argv[1]; "
    "torch.save(torch.load(f, map_location='cpu', weights_only=True), f + '.new')\" FILE";

/// Advice for a file with Python objects, which only Python can convert: keep its tensors and the
/// dicts that contain only tensors; for a whole model, its state_dict.
inline constexpr const char* kKeepWeights =
    "python -c \"import sys, torch; f = sys.argv[1]; "
    "w = torch.load(f, map_location='cpu', weights_only=False); "
    "w = getattr(w, 'state_dict', lambda: w)(); t = torch.is_tensor; "
    "torch.save({k: dict(v) if isinstance(v, dict) else v for k, v in w.items() "
    "if t(v) or isinstance(v, dict) and v and all(map(t, v.values()))}, f + '.new')\" FILE";

/// The value of the pickle at the start of `code`, which is then advanced to what follows. Tensors
/// that take many times `file_bytes` are refused. Throws Refused.
PickleValue unpickle(std::span<const char>& code, const StorageData& data,
                     std::uint64_t file_bytes);

}  // namespace ringside::engine
