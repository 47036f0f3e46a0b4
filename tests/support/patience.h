// How long a test waits for what has to come. It costs nothing where it comes, and a machine may be
// slow and busy; what the product promises to do in less has a number of its own.
#pragma once

#include <chrono>
#include <cstdint>

#include "tests/support/sanitized.h"

namespace ringside::testing {

/// A busy machine of half the cores and half the speed takes so many times longer.
inline constexpr int kBusyFactor = 6;

inline constexpr std::chrono::seconds kPatience{60 * kTimeoutFactor};
inline constexpr std::int64_t kPatienceNs = kPatience.count() * std::int64_t{1'000'000'000};

}  // namespace ringside::testing
