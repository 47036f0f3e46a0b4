#include "protocol/host/processor_time.h"

#include <thread>

#include "tests/support/catch.h"

namespace ringside {
namespace {

void work_for(std::int64_t cpu_ns) {
  const std::int64_t begin_ns = thread_cpu_ns();
  while (thread_cpu_ns() - begin_ns < cpu_ns) {
  }
}

TEST_CASE("processor time is measured for one thread and for the whole process") {
  constexpr std::int64_t kWorkNs = 20'000'000;
  const std::int64_t process_ns = process_cpu_ns();
  const std::int64_t thread_ns = thread_cpu_ns();
  std::thread([] { work_for(kWorkNs); }).join();
  CHECK(process_cpu_ns() - process_ns >= kWorkNs);
  CHECK(thread_cpu_ns() - thread_ns < kWorkNs);
}

}  // namespace
}  // namespace ringside
