// How many batches a loader holds when their memory is scarce: page-locked memory is unavailable to
// all other programs of the machine. Pure; any thread.
#pragma once

#include <cstdint>

namespace ringside::core {

struct BatchMemory {
  std::int64_t kept = 1;   ///< in use until they are copied
  std::int64_t ahead = 0;  ///< loaded in advance; 0 stays 0: no worker loads in advance

  std::int64_t batches() const { return kept + ahead; }
  bool operator==(const BatchMemory&) const = default;
};

/// Reduces the wanted batches to what fits: first fewer are kept, down to 2, then fewer are loaded
/// ahead, down to 1. `bytes` is the size of one batch, or of one batch of each loader together.
/// This minimum is used whatever the limit.
BatchMemory fit_batches(const BatchMemory& wanted, std::int64_t bytes, std::int64_t limit_bytes);

}  // namespace ringside::core
