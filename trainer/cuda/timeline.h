// Moments of a step, on the host or on a GPU, noted without waiting and read later as host time.
// A stamp is a number that grows; what it means is known to the timeline that gave it.
#pragma once

#include <cstdint>
#include <optional>

#include "protocol/base/clock.h"

namespace ringside::cuda {

/// record() and resolve() are callable from any thread.
class Timeline {
 public:
  virtual ~Timeline() = default;
  /// Notes that everything enqueued so far by this thread is done at some moment to come. Never
  /// waits. Above 0.
  virtual std::int64_t record() = 0;
  /// That moment as mono_ns of this host; nothing while it lies ahead. 0 or less stays as it is.
  virtual std::optional<std::int64_t> resolve(std::int64_t stamp) = 0;
  /// Compares the clocks of host and device again. Waits for the device: between passes, when it
  /// has nothing to do.
  virtual void settle() = 0;
};

/// Work on the host is done when it is noted: a stamp is the time itself.
class HostTimeline final : public Timeline {
 public:
  std::int64_t record() override { return mono_now_ns(); }
  std::optional<std::int64_t> resolve(std::int64_t stamp) override { return stamp; }
  void settle() override {}
};

}  // namespace ringside::cuda
