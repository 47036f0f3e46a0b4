// How long a test waits for an event that must come. A long limit costs nothing if the event comes,
// and machines may be slow and busy; shorter limits that the product guarantees are separate.
#pragma once

#include <chrono>
#include <cstdint>

#include "tests/support/sanitized.h"

namespace ringside::testing {

/// Factor for a busy machine with half the cores at half the speed.
inline constexpr int kBusyFactor = 6;

inline constexpr std::chrono::seconds kPatience{60 * kTimeoutFactor};
inline constexpr std::int64_t kPatienceNs = kPatience.count() * std::int64_t{1'000'000'000};

}  // namespace ringside::testing
