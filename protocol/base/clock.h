// The two clocks. mono_ns orders and measures; wall_ns is only shown; never mix them. All processes
// of a host share the monotonic clock, so its values can be compared between the ranks of a node.
#pragma once

#include <cstdint>

namespace ringside {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;

/// Seam for tests. Implementations are callable from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t mono_ns() const = 0;  ///< CLOCK_MONOTONIC, ns since boot
  virtual std::int64_t wall_ns() const = 0;  ///< CLOCK_REALTIME, ns since 1970-01-01 UTC
};

class SystemClock final : public Clock {
 public:
  std::int64_t mono_ns() const override;
  std::int64_t wall_ns() const override;
};

/// CLOCK_MONOTONIC without a Clock object, for hot paths: one vDSO call, no allocation.
std::int64_t mono_now_ns();

/// Sleeps this long; a signal ends it early.
void pause_ns(std::int64_t ns);

}  // namespace ringside
