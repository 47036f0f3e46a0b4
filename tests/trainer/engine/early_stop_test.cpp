#include "trainer/engine/loop/early_stop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <future>

#include "tests/support/catch.h"

using ringside::engine::EarlyStop;

namespace {

constexpr auto kPatience = std::chrono::seconds(60);

// What was called, and the signal's descriptor.
struct EarlyStopRig {
  ~EarlyStopRig() { ::close(fd); }
  EarlyStop::Calls calls() {
    return {[this] { return asked.load(); },
            [this] {
              ++left;
              leaving.set_value();
            },
            [this] {
              ++late;
              lateness.set_value();
            }};
  }
  void signal() const {
    const std::uint64_t one = 1;
    REQUIRE(::write(fd, &one, sizeof one) == sizeof one);
  }
  int fd = ::eventfd(0, EFD_CLOEXEC);
  std::atomic<bool> asked{false};
  std::atomic<int> left{0};
  std::atomic<int> late{0};
  std::promise<void> leaving;
  std::promise<void> lateness;
};

bool comes(std::promise<void>& promise) {
  return promise.get_future().wait_for(kPatience) == std::future_status::ready;
}

}  // namespace

TEST_CASE("a signal while a rank gets ready makes it leave, once") {
  EarlyStopRig rig;
  {
    EarlyStop early(rig.fd, rig.calls());
    CHECK(rig.left == 0);
    rig.signal();
    REQUIRE(comes(rig.leaving));
  }
  CHECK(rig.left == 1);
  CHECK(rig.late == 0);
}

TEST_CASE("a request by other means is seen too") {
  EarlyStopRig rig;
  EarlyStop early(-1, rig.calls());
  rig.asked = true;
  CHECK(comes(rig.leaving));
}

TEST_CASE("in training a request is the loop's, and only a rank that hangs is reported") {
  EarlyStopRig rig;
  {
    EarlyStop early(rig.fd, rig.calls(), std::chrono::milliseconds(1));
    early.training_begins();
    rig.signal();
    CHECK(comes(rig.lateness));
  }
  CHECK(rig.left == 0);
  CHECK(rig.late == 1);

  EarlyStopRig prompt;
  {
    EarlyStop early(prompt.fd, prompt.calls(), std::chrono::hours(1));
    early.training_begins();
    prompt.signal();
  }
  CHECK(prompt.left == 0);
  CHECK(prompt.late == 0);
}
