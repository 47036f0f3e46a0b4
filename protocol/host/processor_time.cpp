#include "protocol/host/processor_time.h"

#include <ctime>

namespace ringside {
namespace {

std::int64_t used_ns(clockid_t id) {
  timespec used{};
  ::clock_gettime(id, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

}  // namespace

std::int64_t process_cpu_ns() { return used_ns(CLOCK_PROCESS_CPUTIME_ID); }
std::int64_t thread_cpu_ns() { return used_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace ringside
