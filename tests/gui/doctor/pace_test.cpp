#include "gui/doctor/pace.h"

#include "gui/launch/presets.h"
#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/data_facts.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::doctor;
using messages::RunSpec;

namespace {

std::vector<TimedStep> pace_steps(const std::vector<std::pair<double, std::int32_t>>& steps) {
  std::vector<TimedStep> timed;
  for (const auto& [seconds, samples] : steps) {
    TimedStep step;
    step.report.step_ns = static_cast<std::int64_t>(seconds * 1e9);
    step.report.samples = samples;
    timed.push_back(step);
  }
  return timed;
}

RunSpec paced_run() {
  RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = 4;
  spec.devices.threads = 1;
  spec.batch.size = 64;
  spec.batch.meaning = "global";
  spec.data.train_samples = 640;
  spec.data.test_samples = 100;
  return spec;
}

}  // namespace

TEST_CASE("the probe trains one rank of the recipe, two steps twice") {
  RunSpec run = paced_run();
  run.limits.crash_step = 3;
  run.limits.restarts = 3;
  run.baseline.mode = "run";
  run.checkpoint.first_epoch = 1;
  run.evaluate.every_epochs = 0;
  run.evaluate.reload = true;
  const RunSpec pace = pace_spec(run);
  CHECK(pace.devices.world_size == 1);
  CHECK(pace.batch.size == 8);
  CHECK(pace.data.train_samples == 10);
  CHECK(pace.data.test_samples == 8);
  CHECK(pace.limits.crash_step == 0);
  CHECK(pace.baseline.mode == "none");
  const auto facts = messages::batch_facts(pace, pace.data.train_samples).value();
  CHECK(facts.total_steps == 4);
  CHECK(facts.last_batch == 2);
  CHECK(messages::check_work(pace));
}

TEST_CASE("the probe of every preset that has a quick scale can be trained") {
  const auto presets = launch::presets().value();
  for (const auto& preset : presets) {
    const auto loaded = launch::load_preset(preset.name).value();
    if (!loaded.file.spec.quick) continue;
    INFO(preset.name);
    const RunSpec pace = pace_spec(*loaded.file.spec.quick);
    CHECK(pace.batch.size >= 2);
    CHECK(pace.batch.size <= 8);
    CHECK(pace.devices.kind != "cuda");
    CHECK(messages::check_work(pace));
    CHECK(messages::batch_facts(pace, pace.data.train_samples).value().total_steps == 4);
  }
}

TEST_CASE("a larger and a smaller step give the cost of a step and of each sample") {
  const RunSpec pace = pace_spec(paced_run());
  // A step costs 100 ms, and 10 ms for each of 8 or 2 samples; the first steps take a second
  // longer.
  const PaceTimes times{pace_steps({{1.18, 8}, {1.12, 2}, {0.18, 8}, {0.12, 2}}), 0.08, 5};
  const launch::StepCost cost = cost_of(times, pace);
  CHECK(cost.sample_s == Approx(0.01));
  CHECK(cost.step_s == Approx(0.1));
  CHECK(cost.evaluated_s == Approx(0.01));
  CHECK(cost.start_s == Approx(5 - 2 * 0.3 - 0.08));
  CHECK_FALSE(cost.at_least);
}

TEST_CASE("steps that noise has put out of order are judged by their samples alone") {
  const RunSpec pace = pace_spec(paced_run());
  const PaceTimes times{pace_steps({{1, 8}, {1, 2}, {0.08, 8}, {0.1, 2}}), 0, 3};
  const launch::StepCost cost = cost_of(times, pace);
  CHECK(cost.sample_s == Approx(0.01));
  CHECK(cost.step_s == 0);
}

TEST_CASE("steps that do not end give the time they took so far as a lower bound") {
  const RunSpec pace = pace_spec(paced_run());
  const launch::StepCost none = least_cost({}, 1.5, 8, pace);
  CHECK(none.at_least);
  CHECK(none.sample_s == Approx(1));
  CHECK(none.start_s == Approx(1.5));
  const launch::StepCost one = least_cost(pace_steps({{2.4, 8}}), 1.5, 8, pace);
  CHECK(one.sample_s == Approx(0.3));
}
