#include "trainer/cuda/device_clock.h"

#include "tests/support/catch.h"

using namespace ringside;
using cuda::DeviceClock;

TEST_CASE("the offset lies between when an event was asked for and when it was seen done") {
  DeviceClock clock;
  clock.observe(1'000, 5'000, 5'400);
  CHECK(clock.to_host(1'000) == 5'200);
  CHECK(clock.uncertainty_ns(5'400) == 200);
  // Asked for later and seen sooner: both bounds come closer. Others change nothing.
  clock.observe(2'000, 6'150, 6'390);
  CHECK(clock.to_host(2'000) == 6'270);
  CHECK(clock.uncertainty_ns(6'390) == 120);
  clock.observe(3'000, 4'000, 9'000);
  CHECK(clock.to_host(3'000) == 7'270);
  CHECK(clock.uncertainty_ns(9'000) == 120);
}

TEST_CASE("what was known gets wider with time, and a clock that was set is begun anew") {
  DeviceClock clock;
  clock.observe(0, 1'000'000, 1'000'200);
  CHECK(clock.uncertainty_ns(1'000'200 + 1'000'000'000) == 100 + 100'000);
  clock.observe(500'000'000, 500'900'000, 501'200'000);  // 1 ms of bounds half a second later
  CHECK(clock.to_host(500'000'000) > 500'950'000);
  CHECK(clock.to_host(500'000'000) < 501'050'100);
  clock.observe(600'000'000, 700'000'000, 700'000'300);
  CHECK(clock.to_host(600'000'000) == 700'000'150);
  CHECK(clock.uncertainty_ns(700'000'300) == 150);
}
