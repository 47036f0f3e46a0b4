// Clock offsets from round trips.
#include "trainer/agent/nodes/node_clock.h"

#include <cstdlib>
#include <random>

#include "tests/support/catch.h"

namespace ringside::agent {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kAhead = 3'600 * kSecondNs;  // clock of node 0 minus this one's

/// A trip that starts at `now`; `there` and `back` are the network delays.
void trip(NodeClock& clock, std::int64_t now, std::int64_t there, std::int64_t back,
          std::int64_t ahead = kAhead) {
  clock.add(now, now + there + ahead, now + there + back);
}

}  // namespace

TEST_CASE("the true offset is within the uncertainty, however asymmetric the network delay is") {
  NodeClock clock;
  CHECK_FALSE(clock.due(0));
  trip(clock, 0, 900'000, 100'000);
  trip(clock, 100, 10'000, 190'000);
  trip(clock, 200, 500'000, 5'000'000);
  CHECK_FALSE(clock.due(300));
  trip(clock, 300, 80'000, 60'000);
  const auto told = clock.due(400);
  REQUIRE(told);
  CHECK(told->peer == 0);
  CHECK(std::abs(told->offset_ns - kAhead) <= told->uncertainty_ns);
  CHECK(told->uncertainty_ns <= 71'000);
  CHECK(clock.known());
}

TEST_CASE("the offset is reported each minute, and at once when the clocks have drifted apart") {
  NodeClock clock;
  for (int i = 0; i < 8; ++i) trip(clock, i * kSecondNs, 50'000, 50'000);
  REQUIRE(clock.due(8 * kSecondNs));
  CHECK_FALSE(clock.due(9 * kSecondNs));
  CHECK(clock.due(69 * kSecondNs));
  for (int i = 70; i < 78; ++i) trip(clock, i * kSecondNs, 50'000, 50'000, kAhead + 500'000);
  const auto told = clock.due(78 * kSecondNs);
  REQUIRE(told);
  CHECK(std::abs(told->offset_ns - kAhead - 500'000) <= told->uncertainty_ns);
}

TEST_CASE("a reported offset is valid at any time while the clocks drift by 50 ppm") {
  const std::int64_t drift = GENERATE(-50, 50, 0);  // ppm
  const std::int64_t half_ns = GENERATE(5'000, 50'000, 2'000'000);
  std::mt19937 random(7);
  const auto ahead_at = [&](std::int64_t at_ns) { return kAhead + at_ns * drift / 1'000'000; };
  NodeClock clock;
  messages::ClockSync told;
  std::int64_t told_ns = -1;
  std::int64_t records = 0;
  std::int64_t widest_ns = 0;
  constexpr std::int64_t kEnd = 300 * kSecondNs;
  for (std::int64_t now = 0; now < kEnd; now += 10'000'000) {
    if (now % kSecondNs == 0) {
      // The whole delay may be in one direction, and some trips take far longer.
      const auto whole = 2 * half_ns * static_cast<std::int64_t>(random() % 4 == 0 ? 5 : 1);
      const std::int64_t there = whole * static_cast<std::int64_t>(random() % 3) / 2;
      trip(clock, now - whole, there, whole - there, ahead_at(now - whole + there));
    }
    if (const auto sync = clock.due(now)) {
      told = *sync;
      told_ns = now;
      ++records;
    }
    if (told_ns < 0) continue;
    const std::int64_t reader_ns = told.uncertainty_ns + messages::clock_drift_ns(now - told_ns);
    if (std::abs(told.offset_ns - ahead_at(now)) > reader_ns) {
      INFO("at " << now << " ns, half a trip " << half_ns << " ns, " << drift << " ppm");
      REQUIRE(std::abs(told.offset_ns - ahead_at(now)) <= reader_ns);
    }
    widest_ns = std::max(widest_ns, reader_ns);
  }
  // The reported uncertainty stays well below what a minute of drift would add, but is not better
  // than the trips.
  CHECK(widest_ns < 3 * half_ns + 600'000);
  CHECK(records <= kEnd / kSecondNs);
  CHECK(records >= kEnd / (60 * kSecondNs));
}

TEST_CASE("a short round trip is used until its age makes a longer new one more certain") {
  const auto told_at = [](std::int64_t long_ns) {
    NodeClock clock;
    for (int i = 0; i < 4; ++i) trip(clock, i, 10'000, 10'000);
    trip(clock, long_ns, 0, 100'000);
    return clock.due(long_ns + 100'000);
  };
  // 10 us plus 50 ppm of its age, compared with 50 us.
  const auto sooner = told_at(kSecondNs / 2);
  REQUIRE(sooner);
  CHECK(sooner->offset_ns == kAhead);
  CHECK(sooner->uncertainty_ns >= 35'000);
  CHECK(sooner->uncertainty_ns <= 36'000);
  const auto later = told_at(kSecondNs);
  REQUIRE(later);
  CHECK(later->offset_ns == kAhead - 50'000);
  CHECK(later->uncertainty_ns <= 51'000);
}

TEST_CASE("a round trip that ends before it began is ignored") {
  NodeClock clock;
  for (int i = 0; i < 8; ++i) clock.add(100, 50, 99);
  CHECK_FALSE(clock.due(kSecondNs));
}

}  // namespace ringside::agent
