#include "protocol/base/clock.h"

#include <ctime>

#include "tests/support/catch.h"

namespace ringside {
namespace {

TEST_CASE("the system clock returns the kernel's monotonic and real-time clocks") {
  const SystemClock clock;
  const std::int64_t first = clock.mono_ns();
  const std::int64_t second = mono_now_ns();
  CHECK(second >= first);
  CHECK(second - first < 10'000'000'000);
  const std::int64_t wall_s = clock.wall_ns() / 1'000'000'000;
  const std::int64_t now_s = std::time(nullptr);
  // time() returns the second of the last tick, which is some milliseconds behind the clock.
  CHECK(now_s >= wall_s - 1);
  CHECK(now_s - wall_s <= 10);
}

}  // namespace
}  // namespace ringside
