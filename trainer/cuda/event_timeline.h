// Host times of GPU events: a ring of events, timed relative to a reference event when they are
// complete, and converted by the estimated offset of the device's clock. From time to time an event
// on a separate stream compares the clocks; the host does not wait for the device's work. Any
// thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "trainer/cuda/device_clock.h"
#include "trainer/cuda/device_events.h"
#include "trainer/cuda/timeline.h"

namespace ringside::cuda {

class EventTimeline final : public Timeline {
 public:
  static constexpr std::int64_t kCompareEvery_ns = 250'000'000;
  /// Maximum duration of a comparison on the calling thread.
  static constexpr std::int64_t kCompareAtMost_ns = 100'000;
  /// Interval of reference events. Events must be timed against a recent one, since a float in
  /// milliseconds loses microseconds after some ten seconds.
  static constexpr std::int64_t kReferenceEvery_ns = 10'000'000'000;
  /// Number of reference events that are kept.
  static constexpr std::size_t kReferences = 16;

  /// `now` is the host's mono_ns. All events but kReferences of them form the ring. Throws when the
  /// device does not respond.
  explicit EventTimeline(std::unique_ptr<DeviceEvents> events,
                         std::function<std::int64_t()> now = mono_now_ns);

  std::int64_t record() override;
  std::int64_t before_replay(StepGraph& graph, std::int64_t recorded) override;
  std::optional<std::int64_t> resolve(std::int64_t stamp) override;
  /// Valid for events until the next comparison, and for events as late as the newest one was.
  std::int64_t uncertainty_ns() override;
  double drift_ppm() override;

 private:
  struct Moment {
    std::int64_t stamp = 0;
    std::int64_t recorded_ns = 0;
    std::int64_t reference = 0;  ///< number of the reference when it was recorded
    std::int64_t host_ns = 0;    ///< 0: not known yet
    bool replayed = false;  ///< recorded by a CUDA graph: until this replay has run, its event is
                            ///< complete from the previous one
  };
  std::size_t event_of(std::int64_t stamp) const {
    return static_cast<std::size_t>(stamp) % moments_.size();
  }
  Moment& moment_of(std::int64_t stamp) { return moments_[event_of(stamp)]; }
  std::size_t reference_event(std::int64_t reference) const {
    return moments_.size() + static_cast<std::size_t>(reference) % kReferences;
  }
  std::int64_t next_stamp(bool replayed);
  bool done(const Moment& moment);
  bool date(Moment& moment);
  void compare();

  std::unique_ptr<DeviceEvents> events_;
  std::function<std::int64_t()> now_;
  std::mutex mutex_;
  std::vector<Moment> moments_;
  std::int64_t newest_ = 0;  ///< stamp
  std::int64_t lag_ns_ = 0;  ///< from recording the newest known event to knowing its time
  DeviceClock clock_;
  std::int64_t reference_ = 0;                     ///< number of the newest reference event
  std::vector<std::int64_t> reference_device_ns_;  ///< device time of each reference event
  std::int64_t reference_ns_ = 0;                  ///< host time of the newest reference event
  std::int64_t compared_ns_ = 0;                   ///< time of the last attempt
};

}  // namespace ringside::cuda
