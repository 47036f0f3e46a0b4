// How many batches a loader holds where their memory is dear: page-locked memory is taken from all
// programs of the machine. Pure; any thread.
#pragma once

#include <cstdint>

namespace ringside::core {

struct BatchMemory {
  std::int64_t kept = 1;   ///< handed out, until they are copied
  std::int64_t ahead = 0;  ///< ready before they are asked for; 0 stays 0: no worker loads ahead

  std::int64_t batches() const { return kept + ahead; }
  bool operator==(const BatchMemory&) const = default;
};

/// Fits as many of the wanted batches as there is room for: first fewer are kept, down to 2, and
/// then fewer are ready ahead, down to 1. `bytes`: of one batch, or of one of every loader
/// together. Less than that is not given, whatever the limit.
BatchMemory fit_batches(const BatchMemory& wanted, std::int64_t bytes, std::int64_t limit_bytes);

}  // namespace ringside::core
