// One pickle as data: the opcodes that plain containers, numbers, texts and tensors need, and a few
// harmless globals; everything else, above all a pickled object, is refused by name. Used by the
// reader of files of torch.save alone. Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "trainer/engine/checkpoint/pickle_value.h"

namespace ringside::engine {

/// The elements of a storage, by its key: one-dimensional, as many as are named. Throws Refused.
using StorageData =
    std::function<at::Tensor(const std::string& key, at::ScalarType type, std::int64_t count)>;

/// How a file that is not read becomes one that is.
inline constexpr const char* kConvert =
    "convert it where you trust it: python -c \"import sys, torch; f = sys.argv[1]; "
    "torch.save(torch.load(f, map_location='cpu', weights_only=True), f + '.new')\" FILE";

/// How a file with objects of Python, which only Python can make, becomes one that is read: its
/// tensors and the dicts of nothing but tensors are kept, of a whole model its state_dict.
inline constexpr const char* kKeepWeights =
    "python -c \"import sys, torch; f = sys.argv[1]; "
    "w = torch.load(f, map_location='cpu', weights_only=False); "
    "w = getattr(w, 'state_dict', lambda: w)(); t = torch.is_tensor; "
    "torch.save({k: dict(v) if isinstance(v, dict) else v for k, v in w.items() "
    "if t(v) or isinstance(v, dict) and v and all(map(t, v.values()))}, f + '.new')\" FILE";

/// The value of the pickle with which `code` begins; `code` is then what follows it. `file_bytes`:
/// tensors that take many times as much are refused. Throws Refused.
PickleValue unpickle(std::span<const char>& code, const StorageData& data,
                     std::uint64_t file_bytes);

}  // namespace ringside::engine
