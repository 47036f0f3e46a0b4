#include "trainer/engine/loop/early_stop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <string>

#include "tests/support/catch.h"

using ringside::engine::EarlyStop;

namespace {

constexpr auto kPatience = std::chrono::seconds(60);

// The calls so far, and the signal's descriptor.
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

TEST_CASE("a signal before training ends the rank once") {
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

TEST_CASE("a stop request by other means is noticed") {
  EarlyStopRig rig;
  EarlyStop early(-1, rig.calls());
  rig.asked = true;
  CHECK(comes(rig.leaving));
}

TEST_CASE("a rank that waits too long before training gives up, but not during training") {
  EarlyStopRig rig;
  std::promise<std::string> given_up;
  auto calls = rig.calls();
  calls.overdue = [] { return std::string("too long"); };
  calls.give_up = [&](const std::string& why) { given_up.set_value(why); };
  {
    EarlyStop early(-1, calls);
    auto why = given_up.get_future();
    REQUIRE(why.wait_for(kPatience) == std::future_status::ready);
    CHECK(why.get() == "too long");
  }
  CHECK(rig.left == 0);
  std::atomic<int> asked{0};
  std::promise<void> twice;
  calls.overdue = [&] {
    if (asked++ == 1) twice.set_value();
    return std::string(asked > 1 ? "too long" : "");
  };
  calls.give_up = [&](const std::string&) { ++rig.left; };
  {
    EarlyStop early(-1, calls);
    early.training_begins();
    CHECK(comes(twice));
  }
  CHECK(rig.left == 0);
}

TEST_CASE(
    "during training a stop request is left to the loop, and only a rank that hangs is reported") {
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
