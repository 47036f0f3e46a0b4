// Offsets of clocks by round trips.
#include "trainer/agent/nodes/node_clock.h"

#include <cstdlib>

#include "tests/support/catch.h"

namespace ringside::agent {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kAhead = 3'600 * kSecondNs;  // clock of node 0 before this one's

/// A trip that starts at `now`; `there` and `back` are what the network takes.
void trip(NodeClock& clock, std::int64_t now, std::int64_t there, std::int64_t back,
          std::int64_t ahead = kAhead) {
  clock.add(now, now + there + ahead, now + there + back);
}

}  // namespace

TEST_CASE("the truth lies within the uncertainty, however uneven the ways are") {
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

TEST_CASE("it is told each minute, and at once when the clocks went apart") {
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

TEST_CASE("a trip that ends before it began is none") {
  NodeClock clock;
  for (int i = 0; i < 8; ++i) clock.add(100, 50, 99);
  CHECK_FALSE(clock.due(kSecondNs));
}

}  // namespace ringside::agent
