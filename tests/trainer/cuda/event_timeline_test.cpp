#include "trainer/cuda/event_timeline.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/support/catch.h"
#include "tests/trainer/cuda/fake_device.h"
#include "trainer/cuda/cuda_api.h"

using namespace ringside;
using cuda::EventTimeline;
using testing::FakeDevice;
using testing::FakeEvents;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

EventTimeline timeline_of(FakeDevice& device) {
  return EventTimeline(std::make_unique<FakeEvents>(device), [&device] { return device.host_ns; });
}

/// A stamp and the true time of its event.
struct Moment {
  std::int64_t stamp = 0;
  std::int64_t true_ns = 0;
};

Moment record(EventTimeline& timeline, const FakeDevice& device) {
  const std::int64_t stamp = timeline.record();
  return {stamp, device.done_ns[device.newest]};
}

/// Maximum error of event times over `seconds` of steps, and the maximum uncertainty that the
/// timeline reported.
struct Errors {
  std::int64_t worst_ns = 0;
  std::int64_t said_ns = 0;
  bool kept = true;  ///< no error exceeded the reported uncertainty
};

// Steps of 100 ms, with the host one step ahead of its device.
Errors train(FakeDevice& device, EventTimeline& timeline, int seconds) {
  Errors errors;
  Moment before = record(timeline, device);
  for (int step = 0; step < 10 * seconds; ++step) {
    device.work(100'000'000);
    const Moment now = record(timeline, device);
    device.host_waits(std::max<std::int64_t>(before.true_ns - device.host_ns, 0) + 40'000);
    const auto dated = timeline.resolve(before.stamp);
    if (!dated) throw std::logic_error("a moment that is over was not dated");
    const std::int64_t error_ns = std::abs(*dated - before.true_ns);
    const std::int64_t said_ns = timeline.uncertainty_ns();
    errors.worst_ns = std::max(errors.worst_ns, error_ns);
    errors.said_ns = std::max(errors.said_ns, said_ns);
    errors.kept = errors.kept && error_ns <= said_ns;
    before = now;
  }
  return errors;
}

}  // namespace

TEST_CASE(
    "events of a device whose clock drifts by 50 ppm are accurate to microseconds for an hour") {
  const double drift_ppm = GENERATE(50.0, -50.0, 0.0);
  FakeDevice device(drift_ppm);
  EventTimeline timeline = timeline_of(device);
  const Errors errors = train(device, timeline, 3600);  // the clocks drift apart by 180 ms
  CHECK(errors.kept);
  CHECK(errors.worst_ns < 30'000);
  CHECK(errors.said_ns < 100'000);
}

TEST_CASE("step times are those of the device however far the host is ahead of it") {
  const std::int64_t step_ns = GENERATE(2'000'000, 200'000'000);
  const std::size_t ahead = GENERATE(0U, 1U, 2U, 3U);
  const double drift_ppm = GENERATE(50.0, -50.0);
  FakeDevice device(drift_ppm);
  EventTimeline timeline = timeline_of(device);
  std::vector<Moment> moments;
  std::vector<std::int64_t> dated;
  for (int step = 0; step < 200; ++step) {
    device.work(step_ns);
    moments.push_back(record(timeline, device));
    if (step == 30) device.host_waits(10 * step_ns);
    if (moments.size() > ahead) {
      const std::int64_t reached_ns = moments[moments.size() - 1 - ahead].true_ns;
      device.host_ns = std::max(device.host_ns, reached_ns) + 40'000;
    }
    while (dated.size() < moments.size()) {
      const auto found = timeline.resolve(moments[dated.size()].stamp);
      if (!found) break;
      dated.push_back(*found);
    }
  }
  REQUIRE(dated.size() > 190);
  double worst = 0;
  for (std::size_t i = 1; i < dated.size(); ++i) {
    const auto really = static_cast<double>(moments[i].true_ns - moments[i - 1].true_ns);
    worst = std::max(worst, std::abs(static_cast<double>(dated[i] - dated[i - 1]) / really - 1));
  }
  CHECK(worst < 0.02);
}

TEST_CASE("the uncertainty grows when comparisons cannot complete") {
  FakeDevice device(50.0);
  EventTimeline timeline = timeline_of(device);
  device.aside_starves = true;
  const Errors errors = train(device, timeline, 60);
  CHECK(errors.kept);
  CHECK(errors.said_ns > 1'000'000);
}

TEST_CASE("the time of an event is determined once") {
  FakeDevice device(50.0);
  EventTimeline timeline = timeline_of(device);
  const Moment first = record(timeline, device);
  device.host_waits(11 * kSecond);
  const Moment second = record(timeline, device);
  device.host_waits(kSecond / 10);
  const auto dated = timeline.resolve(second.stamp);
  REQUIRE(dated);
  CHECK(std::abs(*dated - second.true_ns) < 50'000);
  device.host_waits(30 * kSecond);
  CHECK(timeline.resolve(second.stamp) == dated);
  // The first stamp was not resolved while the references changed.
  const auto late = timeline.resolve(first.stamp);
  REQUIRE(late);
  CHECK(std::abs(*late - first.true_ns) <= timeline.uncertainty_ns());
}

TEST_CASE("an event of a busy device has no time yet, and resolving it does not wait") {
  FakeDevice device(0.0);
  EventTimeline timeline = timeline_of(device);
  device.work(3 * kSecond);
  const Moment moment = record(timeline, device);
  const std::int64_t before_ns = device.host_ns;
  CHECK_FALSE(timeline.resolve(moment.stamp));
  CHECK(device.host_ns - before_ns < 2 * EventTimeline::kCompareAtMost_ns);
  device.host_waits(4 * kSecond);
  const auto dated = timeline.resolve(moment.stamp);
  REQUIRE(dated);
  CHECK(std::abs(*dated - moment.true_ns) < 50'000);
}

TEST_CASE("events of a device that hangs are never resolved, and polling costs next to nothing") {
  FakeDevice device(0.0);
  EventTimeline timeline = timeline_of(device);
  device.hang();
  device.aside_starves = true;
  const Moment moment = record(timeline, device);
  for (int i = 0; i < 1000; ++i) {
    device.host_waits(kSecond);
    const std::int64_t before_ns = device.host_ns;
    REQUIRE_FALSE(timeline.resolve(moment.stamp));
    REQUIRE(device.host_ns - before_ns < 2 * EventTimeline::kCompareAtMost_ns);
  }
}

TEST_CASE("events of several streams may complete in any order") {
  FakeDevice device(20.0);
  EventTimeline timeline = timeline_of(device);
  device.work(kSecond);
  const Moment late = record(timeline, device);
  device.busy_until_ns = 0;  // another stream
  const Moment early = record(timeline, device);
  device.host_waits(kSecond / 2);
  CHECK_FALSE(timeline.resolve(late.stamp));
  CHECK(timeline.resolve(early.stamp));
  device.host_waits(kSecond);
  const auto dated = timeline.resolve(late.stamp);
  REQUIRE(dated);
  CHECK(std::abs(*dated - late.true_ns) <= timeline.uncertainty_ns());
}

TEST_CASE("an event overwritten in the ring is resolved to its recording time") {
  FakeDevice device(0.0);
  EventTimeline timeline = timeline_of(device);
  const Moment lost = record(timeline, device);
  for (std::size_t i = 0; i < device.done_ns.size(); ++i) timeline.record();
  CHECK(timeline.resolve(lost.stamp));
  CHECK(timeline.resolve(0) == 0);
}

TEST_CASE("a device that does not respond is an error at the start") {
  FakeDevice device(0.0);
  device.hang();
  device.aside_starves = true;
  CHECK_THROWS(timeline_of(device));
}

TEST_CASE("each replay of a recorded step has its own times, available only after it is complete") {
  struct Graph final : cuda::StepGraph {
    void record(const std::function<void()>&) override {}
    void replay() override {}
  } graph;
  FakeDevice device(50.0);
  EventTimeline timeline = timeline_of(device);
  const std::int64_t recorded = timeline.record();
  for (int use = 0; use < 3000; ++use) {  // the ring is reused more than once
    const std::int64_t middle = timeline.before_replay(graph, recorded);
    const std::int64_t end = timeline.before_replay(graph, recorded);
    // The events of both stamps still have the times of their previous use.
    REQUIRE_FALSE(timeline.resolve(middle));
    REQUIRE_FALSE(timeline.resolve(end));
    device.replay(1'000'000);
    const Moment after = record(timeline, device);
    REQUIRE_FALSE(timeline.resolve(middle));
    device.host_waits(after.true_ns - device.host_ns);
    const auto at_end = timeline.resolve(end);
    const auto at_middle = timeline.resolve(middle);
    REQUIRE(at_end);
    REQUIRE(at_middle);
    CHECK(std::abs(*at_end - *at_middle - 1'000'000) < 30'000);
    CHECK(std::abs(*at_end - after.true_ns) < 30'000);
  }
}
