#include "trainer/core/step_timer.h"

#include <algorithm>
#include <random>

#include "tests/support/catch.h"

using ringside::core::StepPhase;
using ringside::core::StepTimer;
using ringside::messages::StepReport;

namespace {

std::int64_t sum_of_phases(const StepReport& r) {
  std::int64_t sum = 0;
  for (const std::int64_t ns : {r.data_wait_ns, r.host_to_device_ns, r.forward_ns, r.backward_ns,
                                r.exposed_comm_ns, r.optimizer_ns}) {
    sum += std::max<std::int64_t>(ns, 0);
  }
  return sum;
}

}  // namespace

TEST_CASE("a step is divided into its phases") {
  StepTimer timer;
  timer.begin(1000);
  timer.enter(StepPhase::kDataWait, 1000);
  timer.enter(StepPhase::kForward, 1010);
  timer.enter(StepPhase::kBackward, 1110);
  timer.leave_backward(1400, 1300);
  timer.enter(StepPhase::kOptimizer, 1405);
  timer.leave(1450);
  timer.end(1460);
  StepReport report;
  timer.fill(report);
  CHECK(report.data_wait_ns == 10);
  CHECK(report.host_to_device_ns == -1);
  CHECK(report.forward_ns == 100);
  CHECK(report.backward_ns == 190);
  CHECK(report.exposed_comm_ns == 100);
  CHECK(report.optimizer_ns == 45);
  CHECK(report.step_ns == 460);
  CHECK(sum_of_phases(report) == 445);
}

TEST_CASE("times of a phase that is entered again are added") {
  StepTimer timer;
  timer.begin(0);
  for (std::int64_t micro = 0; micro < 3; ++micro) {
    timer.enter(StepPhase::kForward, micro * 100);
    timer.enter(StepPhase::kBackward, micro * 100 + 30);
    timer.leave(micro * 100 + 90);
  }
  timer.end(300);
  CHECK(timer.phase_ns(StepPhase::kForward) == 90);
  CHECK(timer.phase_ns(StepPhase::kBackward) == 180);
  CHECK(timer.phase_ns(StepPhase::kExposedComm) == -1);
}

TEST_CASE("a bucket time outside the backward phase is clamped to it") {
  const auto split = [](std::int64_t ready) {
    StepTimer timer;
    timer.begin(100);
    timer.enter(StepPhase::kBackward, 200);
    timer.leave_backward(300, ready);
    timer.end(300);
    return std::pair(timer.phase_ns(StepPhase::kBackward), timer.phase_ns(StepPhase::kExposedComm));
  };
  CHECK(split(150) == std::pair<std::int64_t, std::int64_t>(0, 100));
  CHECK(split(999) == std::pair<std::int64_t, std::int64_t>(100, 0));
  CHECK(split(0) == std::pair<std::int64_t, std::int64_t>(100, -1));
}

TEST_CASE("a new step starts with unmeasured phases") {
  StepTimer timer;
  timer.begin(0);
  timer.enter(StepPhase::kOptimizer, 0);
  timer.end(50);
  timer.begin(60);
  timer.end(70);
  CHECK(timer.phase_ns(StepPhase::kOptimizer) == -1);
  CHECK(timer.step_ns() == 10);
}

TEST_CASE("phases never exceed the step, whatever the clock returns") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    StepTimer timer;
    std::int64_t now = 1'000'000;
    timer.begin(now);
    for (int call = 0; call < 12; ++call) {
      now += static_cast<std::int64_t>(random() % 200) - 40;  // backwards, too
      const auto phase = static_cast<StepPhase>(random() % 6);
      if (random() % 5 == 0) {
        timer.leave_backward(now, now - static_cast<std::int64_t>(random() % 300) + 100);
      } else {
        timer.enter(phase, now);
      }
    }
    timer.end(now);
    StepReport report;
    timer.fill(report);
    REQUIRE(sum_of_phases(report) <= report.step_ns);
    REQUIRE(report.step_ns >= 0);
  }
}
