#include "protocol/base/clock.h"

#include <time.h>

namespace ringside {
namespace {

std::int64_t read_ns(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t mono_now_ns() { return read_ns(CLOCK_MONOTONIC); }
std::int64_t SystemClock::mono_ns() const { return mono_now_ns(); }
std::int64_t SystemClock::wall_ns() const { return read_ns(CLOCK_REALTIME); }

void pause_ns(std::int64_t ns) {
  const timespec pause{ns / kSecondNs, ns % kSecondNs};
  ::nanosleep(&pause, nullptr);
}

}  // namespace ringside
