// Moments of a step, on the host or on a GPU, noted without waiting and read later as host time.
// A stamp is a number that grows; what it means is known to the timeline that gave it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "protocol/base/clock.h"

namespace ringside::cuda {

class StepGraph;

/// All members are callable from any thread.
class Timeline {
 public:
  virtual ~Timeline() = default;
  /// Notes that everything enqueued so far by this thread is done at some moment to come. Never
  /// waits. Above 0.
  virtual std::int64_t record() = 0;
  /// The stamp that a moment of a recorded step has in the replay that comes next; before each.
  /// `recorded`: what record() gave for it while the step was recorded. 0: the replay calls
  /// record() itself.
  virtual std::int64_t before_replay(StepGraph& /*graph*/, std::int64_t /*recorded*/) { return 0; }
  /// The moment of a stamp as mono_ns of this host; nothing while it lies ahead. The same whenever
  /// it is asked. 0 or less stays as it is.
  virtual std::optional<std::int64_t> resolve(std::int64_t stamp) = 0;
  /// How wrong what is resolved now may be; 0: it is the host's own time.
  virtual std::int64_t uncertainty_ns() = 0;
  /// The millionths by which the device's clock runs faster than the host's; NaN: not known, or it
  /// is the host's own.
  virtual double drift_ppm() { return std::numeric_limits<double>::quiet_NaN(); }
};

/// Work on the host is done when it is noted: a stamp is the time itself.
class HostTimeline final : public Timeline {
 public:
  std::int64_t record() override { return mono_now_ns(); }
  std::optional<std::int64_t> resolve(std::int64_t stamp) override { return stamp; }
  std::int64_t uncertainty_ns() override { return 0; }
};

}  // namespace ringside::cuda
