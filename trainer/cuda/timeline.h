// Records events of a step, on the host or on a GPU, without waiting; their times are read later as
// host time. A stamp is an increasing number that only the timeline that returned it can resolve.
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
  /// Records an event after everything that this thread has enqueued so far. Never waits. Returns a
  /// stamp above 0.
  virtual std::int64_t record() = 0;
  /// The stamp that an event of a recorded step gets in the next replay; call before each replay.
  /// `recorded` is the result of record() while the step was recorded. 0: the replay itself calls
  /// record().
  virtual std::int64_t before_replay(StepGraph& /*graph*/, std::int64_t /*recorded*/) { return 0; }
  /// The time of a stamp in mono_ns of this host; empty while the event is not complete. Repeated
  /// calls return the same time. A stamp of 0 or less is returned unchanged.
  virtual std::optional<std::int64_t> resolve(std::int64_t stamp) = 0;
  /// Uncertainty of the times that are resolved now; 0 for the host's own clock.
  virtual std::int64_t uncertainty_ns() = 0;
  /// How much faster the device's clock runs than the host's, in ppm; NaN: unknown, or it is the
  /// host's clock.
  virtual double drift_ppm() { return std::numeric_limits<double>::quiet_NaN(); }
};

/// Work on the host is complete when it is recorded, so a stamp is the time itself.
class HostTimeline final : public Timeline {
 public:
  std::int64_t record() override { return mono_now_ns(); }
  std::optional<std::int64_t> resolve(std::int64_t stamp) override { return stamp; }
  std::int64_t uncertainty_ns() override { return 0; }
};

}  // namespace ringside::cuda
