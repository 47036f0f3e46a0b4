#include "trainer/cuda/device_clock.h"

#include <cmath>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using cuda::DeviceClock;

TEST_CASE("the offset lies between the recording of an event and its observation") {
  DeviceClock clock;
  clock.observe(1'000, 5'000, 5'400);
  CHECK(clock.to_host(1'000) == 5'200);
  CHECK(clock.uncertainty_ns(5'400) == 200);
  // Recorded later and observed sooner: both bounds get closer. Other events change nothing.
  clock.observe(2'000, 6'150, 6'390);
  CHECK(clock.to_host(2'000) == 6'270);
  CHECK(clock.uncertainty_ns(6'390) == 120);
  clock.observe(3'000, 4'000, 9'000);
  CHECK(clock.to_host(3'000) == 7'270);
  CHECK(clock.uncertainty_ns(9'000) == 120);
}

TEST_CASE("the drift is known after enough comparisons, and again after a clock was set") {
  DeviceClock clock;
  const auto compare = [&clock](std::int64_t host_ns, std::int64_t device_ns) {
    clock.observe(device_ns, host_ns - 5'000, host_ns + 5'000);
  };
  constexpr std::int64_t kSecond = 1'000'000'000;
  const auto fast = [](std::int64_t host_ns) { return host_ns + host_ns * 30 / 1'000'000; };
  CHECK(std::isnan(clock.drift_ppm()));
  compare(kSecond, fast(kSecond));
  CHECK(std::isnan(clock.drift_ppm()));
  compare(kSecond + kSecond / 2, fast(kSecond + kSecond / 2));
  CHECK(std::isnan(clock.drift_ppm()));  // 5 us for each comparison, over half a second
  for (int i = 2; i <= 9; ++i) compare(i * kSecond, fast(i * kSecond));
  CHECK(clock.drift_ppm() == Approx(30).margin(1.5));
  compare(10 * kSecond, 0);
  CHECK(std::isnan(clock.drift_ppm()));
  for (int i = 11; i <= 20; ++i) compare(i * kSecond, (i - 10) * kSecond * 49'999 / 50'000);
  CHECK(clock.drift_ppm() == Approx(-20).margin(1.5));
}

TEST_CASE("the device clock matches that of the Python package") {
  // Results of ringside_rank/_clock.py for the same events of a simulated device.
  std::ifstream cases(testing::source_dir() / "tests/trainer/cuda/clock_cases.txt");
  DeviceClock clock;
  int compared = 0;
  std::int64_t device_ns = 0;
  std::int64_t recorded_ns = 0;
  std::int64_t seen_ns = 0;
  std::int64_t host_ns = 0;
  std::int64_t uncertainty_ns = 0;
  while (cases >> device_ns >> recorded_ns >> seen_ns >> host_ns >> uncertainty_ns) {
    clock.observe(device_ns, recorded_ns, seen_ns);
    CHECK(clock.to_host(device_ns) == host_ns);
    CHECK(clock.uncertainty_ns(seen_ns + 250'000'000) == uncertainty_ns);
    ++compared;
  }
  CHECK(compared > 60);
}

TEST_CASE("the uncertainty grows with time, and a clock that was set starts over") {
  DeviceClock clock;
  clock.observe(0, 1'000'000, 1'000'200);
  CHECK(clock.uncertainty_ns(1'000'200 + 1'000'000'000) == 100 + 100'000);
  clock.observe(500'000'000, 500'900'000, 501'200'000);  // bounds of 1 ms half a second later
  CHECK(clock.to_host(500'000'000) > 500'950'000);
  CHECK(clock.to_host(500'000'000) < 501'050'100);
  clock.observe(600'000'000, 700'000'000, 700'000'300);
  CHECK(clock.to_host(600'000'000) == 700'000'150);
  CHECK(clock.uncertainty_ns(700'000'300) == 150);
}
