#include "trainer/cuda/event_timeline.h"

#include <algorithm>
#include <stdexcept>

namespace ringside::cuda {
namespace {

constexpr std::int64_t kFirstAnswer_ns = 10'000'000'000;

}  // namespace

EventTimeline::EventTimeline(std::unique_ptr<DeviceEvents> events,
                             std::function<std::int64_t()> now)
    : events_(std::move(events)),
      now_(std::move(now)),
      moments_(events_->size() - kReferences),
      reference_device_ns_(kReferences) {
  // The first reference event is time 0 of the device.
  reference_ns_ = now_();
  events_->record_aside(reference_event(0));
  while (!events_->done(reference_event(0))) {
    if (now_() - reference_ns_ > kFirstAnswer_ns)
      throw std::runtime_error("the GPU does not answer: an event of an idle stream is not done");
  }
  clock_.observe(0, reference_ns_, now_());
  compared_ns_ = reference_ns_;
}

std::int64_t EventTimeline::record() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::int64_t stamp = next_stamp(/*replayed=*/false);
  events_->record(event_of(stamp));
  return stamp;
}

std::int64_t EventTimeline::before_replay(StepGraph& graph, std::int64_t recorded) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::int64_t stamp = next_stamp(/*replayed=*/true);
  events_->replace(graph, event_of(recorded), event_of(stamp));
  return stamp;
}

std::int64_t EventTimeline::next_stamp(bool replayed) {
  const std::int64_t stamp = ++newest_;
  moment_of(stamp) = {stamp, now_(), reference_, 0, replayed};
  return stamp;
}

// A replayed event is complete when a later event that is not replayed is complete.
bool EventTimeline::done(const Moment& moment) {
  std::int64_t stamp = moment.stamp;
  while (stamp < newest_ && moment_of(stamp).replayed) ++stamp;
  return !moment_of(stamp).replayed && events_->done(event_of(stamp));
}

std::optional<std::int64_t> EventTimeline::resolve(std::int64_t stamp) {
  if (stamp <= 0) return stamp;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (now_() - compared_ns_ >= kCompareEvery_ns) compare();
  Moment& moment = moment_of(stamp);
  // The ring has overwritten this event: using the recording time is better than waiting forever.
  if (moment.stamp != stamp) return moment.recorded_ns;
  if (moment.host_ns == 0 && !date(moment)) return std::nullopt;
  return moment.host_ns;
}

bool EventTimeline::date(Moment& moment) {
  if (!done(moment)) return false;
  const std::size_t event = event_of(moment.stamp);
  const std::int64_t seen_ns = now_();
  lag_ns_ = seen_ns - moment.recorded_ns;
  if (reference_ + 1 - moment.reference >= static_cast<std::int64_t>(kReferences)) {
    moment.host_ns = seen_ns;  // its reference event is no longer stored, after minutes
    return true;
  }
  const std::int64_t device_ns =
      reference_device_ns_[static_cast<std::size_t>(moment.reference) % kReferences] +
      events_->elapsed_ns(reference_event(moment.reference), event);
  clock_.observe(device_ns, moment.recorded_ns, seen_ns);
  moment.host_ns = std::clamp(clock_.to_host(device_ns), moment.recorded_ns, seen_ns);
  return true;
}

// Compares the clocks with the next reference's event, which becomes the reference when it is time
// for a new one.
void EventTimeline::compare() {
  const std::size_t event = reference_event(reference_ + 1);
  const std::int64_t recorded_ns = now_();
  compared_ns_ = recorded_ns;
  events_->record_aside(event);
  while (!events_->done(event)) {
    if (now_() - recorded_ns > kCompareAtMost_ns) return;
  }
  const std::int64_t seen_ns = now_();
  const std::int64_t device_ns =
      reference_device_ns_[static_cast<std::size_t>(reference_) % kReferences] +
      events_->elapsed_ns(reference_event(reference_), event);
  clock_.observe(device_ns, recorded_ns, seen_ns);
  if (recorded_ns - reference_ns_ < kReferenceEvery_ns) return;
  ++reference_;
  reference_device_ns_[static_cast<std::size_t>(reference_) % kReferences] = device_ns;
  reference_ns_ = recorded_ns;
}

std::int64_t EventTimeline::uncertainty_ns() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return clock_.uncertainty_ns(now_() + std::max(lag_ns_, kCompareEvery_ns));
}

double EventTimeline::drift_ppm() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return clock_.drift_ppm();
}

}  // namespace ringside::cuda
