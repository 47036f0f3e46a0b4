#include "trainer/core/lr_schedule.h"

#include "lr_schedule_golden.h"
#include "tests/support/catch.h"

using ringside::core::learning_rate;
using ringside::core::SchedulePosition;

namespace {

constexpr std::int64_t kSteps = 200;
constexpr std::int64_t kEpochSteps = 20;

SchedulePosition at_step(std::int64_t step) {
  return {static_cast<ringside::Epoch>(step / kEpochSteps), step, kSteps, 1.0};
}

}  // namespace

TEST_CASE("every schedule matches torch's over 200 steps") {
  for (const ScheduleGolden& golden : kScheduleGolden) {
    const bool by_epoch = golden.rates.size() != static_cast<std::size_t>(kSteps);
    for (std::int64_t step = 0; step < kSteps; ++step) {
      INFO(golden.name << ", step " << step);
      const double expected =
          golden.rates[static_cast<std::size_t>(by_epoch ? step / kEpochSteps : step)];
      REQUIRE(learning_rate(golden.optimizer, golden.schedule, at_step(step)) ==
              Approx(expected).epsilon(1e-6).margin(1e-14));
    }
  }
}

TEST_CASE("a constant rate stays the same") {
  ringside::messages::OptimizerSpec optimizer;
  optimizer.lr = 0.05;
  CHECK(learning_rate(optimizer, {}, at_step(0)) == 0.05);
  CHECK(learning_rate(optimizer, {}, at_step(199)) == 0.05);
}

TEST_CASE("step schedules drop the rate at their epochs, with the same products as StepLR") {
  ringside::messages::OptimizerSpec optimizer;
  optimizer.lr = 0.1;
  ringside::messages::ScheduleSpec schedule;
  schedule.name = "step";
  schedule.step_epochs = 5;
  const auto rate = [&](ringside::Epoch epoch) {
    return learning_rate(optimizer, schedule, {epoch, 0, 1, 1.0});
  };
  CHECK(rate(4) == 0.1);
  CHECK(rate(5) == 0.1 * 0.1);
  CHECK(rate(9) == 0.1 * 0.1);
  CHECK(rate(14) == 0.1 * 0.1 * 0.1);
  CHECK(rate(15) == 0.1 * 0.1 * 0.1 * 0.1);
}

TEST_CASE("the batch rule scales the start of the schedule, and the warm-up scales the result") {
  ringside::messages::OptimizerSpec optimizer;
  optimizer.lr = 0.1;
  ringside::messages::ScheduleSpec schedule;
  schedule.name = "cosine";
  schedule.min_lr = 0.01;
  schedule.warmup_steps = 10;
  schedule.warmup_factor = 0.5;
  SchedulePosition position{0, 0, 100, 4.0};
  CHECK(learning_rate(optimizer, schedule, position) == Approx(0.4 * 0.5));
  position.step = 10;
  CHECK(learning_rate(optimizer, schedule, position) > 0.4 * 0.96);
  position.step = 100;
  CHECK(learning_rate(optimizer, schedule, position) == Approx(0.01));
  position.step = 1000;  // a run that was extended after its end
  CHECK(learning_rate(optimizer, schedule, position) == Approx(0.01));
}

TEST_CASE("a run of one step, no rise and only a rise have a rate") {
  ringside::messages::OptimizerSpec optimizer;
  optimizer.lr = 0.1;
  ringside::messages::ScheduleSpec schedule;
  schedule.name = "onecycle";
  for (const double rise : {0.0, 0.1, 0.3, 1.0}) {
    schedule.rise = rise;
    for (const std::int64_t total : {0, 1, 2, 10}) {
      for (std::int64_t step = 0; step <= total; ++step) {
        INFO("rise " << rise << ", step " << step << " of " << total);
        const double rate = learning_rate(optimizer, schedule, {0, step, total, 1.0});
        CHECK(rate > 0.0);
        CHECK(rate <= 0.1);
      }
    }
  }
}

TEST_CASE("the position in a run follows from the batch facts") {
  ringside::messages::BatchFacts facts;
  facts.total_steps = 77;
  facts.lr_scale = 2.0;
  const auto position = ringside::core::schedule_position(facts, 3, 40);
  CHECK(position.epoch == 3);
  CHECK(position.step == 40);
  CHECK(position.total_steps == 77);
  CHECK(position.lr_scale == 2.0);
}
