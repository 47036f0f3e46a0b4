// The moments of a GPU as host time: events in a ring, dated against a reference event when they
// are done, and converted by what is known of the device's clock. Now and then an event beside all
// work compares the clocks; the host never waits for the device. Any thread.
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
  /// What a comparison may cost the calling thread.
  static constexpr std::int64_t kCompareAtMost_ns = 100'000;
  /// Events are dated against one that is not much older: a float loses its microseconds after some
  /// ten seconds.
  static constexpr std::int64_t kReferenceEvery_ns = 10'000'000'000;
  /// A reference is kept until as many newer ones exist.
  static constexpr std::size_t kReferences = 16;

  /// `now`: mono_ns of the host. All events but kReferences of them make up the ring. Throws when
  /// the device does not answer.
  explicit EventTimeline(std::unique_ptr<DeviceEvents> events,
                         std::function<std::int64_t()> now = mono_now_ns);

  std::int64_t record() override;
  std::int64_t before_replay(StepGraph& graph, std::int64_t recorded) override;
  std::optional<std::int64_t> resolve(std::int64_t stamp) override;
  /// Holds for moments up to the next comparison, and for those as late as the newest was.
  std::int64_t uncertainty_ns() override;
  double drift_ppm() override;

 private:
  /// One event of the ring.
  struct Moment {
    std::int64_t stamp = 0;
    std::int64_t recorded_ns = 0;
    std::int64_t reference = 0;  ///< the one in force when it was recorded
    std::int64_t host_ns = 0;    ///< 0: not known yet
    bool replayed = false;  ///< in a CUDA graph: until this replay runs, its event is done from the
                            ///< replay before
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
  std::int64_t lag_ns_ = 0;  ///< from noting a moment to knowing it, of the newest known
  DeviceClock clock_;
  std::int64_t reference_ = 0;                     ///< the newest
  std::vector<std::int64_t> reference_device_ns_;  ///< the device's time of each
  std::int64_t reference_ns_ = 0;                  ///< when the newest was recorded
  std::int64_t compared_ns_ = 0;                   ///< last attempt
};

}  // namespace ringside::cuda
