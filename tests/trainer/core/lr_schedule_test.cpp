#include "trainer/core/lr_schedule.h"

#include "tests/support/catch.h"

using ringside::core::learning_rate;

TEST_CASE("a constant rate stays") {
  ringside::messages::OptimizerSpec optimizer;
  optimizer.lr = 0.05;
  CHECK(learning_rate(optimizer, {}, 0) == 0.05);
  CHECK(learning_rate(optimizer, {}, 99) == 0.05);
}

TEST_CASE("steps drop the rate at the epochs that use it, as StepLR's products") {
  ringside::messages::OptimizerSpec optimizer;
  optimizer.lr = 0.1;
  ringside::messages::ScheduleSpec schedule;
  schedule.name = "step";
  schedule.step_epochs = 5;
  CHECK(learning_rate(optimizer, schedule, 4) == 0.1);
  CHECK(learning_rate(optimizer, schedule, 5) == 0.1 * 0.1);
  CHECK(learning_rate(optimizer, schedule, 9) == 0.1 * 0.1);
  CHECK(learning_rate(optimizer, schedule, 14) == 0.1 * 0.1 * 0.1);
  CHECK(learning_rate(optimizer, schedule, 15) == 0.1 * 0.1 * 0.1 * 0.1);
}
