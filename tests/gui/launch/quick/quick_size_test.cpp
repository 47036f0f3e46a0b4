// Sizes of quick forms for machines of several speeds, with made-up costs.
#include "gui/launch/quick/quick_size.h"

#include "gui/launch/studies/study_preset.h"
#include "protocol/messages/spec/batch_facts.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::launch;

namespace {

constexpr int kCores = 2;
constexpr double kStudyS = 60;

Machine two_cores() {
  Machine machine;
  machine.cores = kCores;
  return machine;
}

/// Costs of ResNet-50 on a core of 2023, in seconds.
constexpr StepCost kFast{1.2, 0.1, 0.03, 0.01};

constexpr StepCost kResNet18{0.8, 0.05, 0.008, 0.003};
constexpr StepCost kConvNet{0.4, 0.002, 0.0003, 0.0001};

StepCost slower_by(StepCost cost, double factor) {
  for (double* part : {&cost.start_s, &cost.step_s, &cost.sample_s, &cost.evaluated_s})
    *part *= factor;
  return cost;
}

/// The runs of a ready-made study; samples of its bf16 variant cost `bf16` times as much.
std::vector<QuickRun> study_runs(const std::string& name, const StepCost& cost, double bf16 = 1) {
  const auto study = find_study_preset(name).value().value();
  const auto recipe = recipe_of(study, load_preset(study.preset).value(), true).value();
  const auto sweep = plan_settings(recipe, request_of(study, true).value(), two_cores()).value();
  std::vector<QuickRun> runs;
  for (const PlannedSetting& setting : sweep.settings) {
    StepCost own = cost;
    if (setting.spec.train.precision == "bf16") own.sample_s *= bf16;
    runs.push_back({setting.spec, own, !runs.empty()});
  }
  return runs;
}

messages::BatchFacts facts_at_size(messages::RunSpec spec, std::int64_t samples) {
  spec.data.train_samples = samples;
  return messages::batch_facts(spec, samples).value();
}

/// Tolerance for the exchange of gradients, which is tiny for this small net.
Approx near(double seconds) { return Approx(seconds).margin(0.02); }

messages::RunSpec quick_run_spec(std::int64_t ranks) {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = ranks;
  spec.devices.threads = 1;
  spec.data.train_samples = 320;
  spec.data.test_samples = 100;
  spec.batch.size = 16;
  spec.batch.meaning = "per_rank";
  spec.train.epochs = 2;
  return spec;
}

}  // namespace

TEST_CASE("the time of a run is the sum of its start, its steps and its evaluations") {
  // 20 steps and 320 samples in each of 2 epochs, and 100 samples evaluated after each.
  const StepCost cost{1, 0.01, 0.002, 0.001};
  CHECK(expected_seconds(quick_run_spec(1), cost, 2) == Approx(1 + 2 * (0.2 + 0.64) + 0.2));
  messages::RunSpec once = quick_run_spec(1);
  once.evaluate.mode = "none";
  CHECK(expected_seconds(once, cost, 2) == Approx(1 + 2 * (0.2 + 0.64)));
}

TEST_CASE("ranks that share cores are slower in proportion to their number") {
  const StepCost start{1, 0, 0, 0};
  CHECK(expected_seconds(quick_run_spec(2), start, 2) == near(1));
  CHECK(expected_seconds(quick_run_spec(8), start, 2) == near(4));
  messages::RunSpec threads = quick_run_spec(2);
  threads.devices.threads = 2;
  CHECK(expected_seconds(threads, start, 2) == near(2));
  // The samples are divided between the ranks, in training and in an evaluation by all ranks.
  const StepCost samples{0, 0, 0.001, 0.001};
  CHECK(expected_seconds(quick_run_spec(8), samples, 2) == near(2 * (0.32 + 0.1) / 2));
  messages::RunSpec rank0 = quick_run_spec(8);
  rank0.evaluate.mode = "rank0";
  CHECK(expected_seconds(rank0, samples, 2) == near(2 * (0.32 / 2 + 0.1)));
}

TEST_CASE("ranks pay for the exchange of their gradients in each step") {
  messages::RunSpec alone = quick_run_spec(1);
  messages::RunSpec two = quick_run_spec(2);
  for (auto* spec : {&alone, &two}) {
    spec->model.name = "resnet50";
    spec->model.classes = 1000;
    spec->data.name = "shapes";
  }
  CHECK(expected_seconds(alone, {}, 2) == 0);
  // The gradients have 102 MB.
  CHECK(expected_seconds(two, {}, 2) == Approx(2 * 10 * 0.41).epsilon(0.01));
}

TEST_CASE("a crash on purpose and the restart cost a second start") {
  messages::RunSpec crash = quick_run_spec(1);
  crash.limits.crash_step = 5;
  crash.limits.restarts = 3;
  CHECK(expected_seconds(crash, {3, 0, 0, 0}, 2) == Approx(6));
}

TEST_CASE("a recipe that crashes on purpose stays large enough to reach the crash") {
  QuickRun crash{quick_run_spec(1), slower_by(kFast, 100)};  // 20 steps in each of 2 epochs
  crash.spec.limits.crash_step = 25;
  const QuickSize size = quick_size({&crash, 1}, kCores, {});
  CHECK(size.train_samples < 320);
  CHECK(2 * facts_at_size(crash.spec, size.train_samples).steps_per_epoch > 25);
}

TEST_CASE("with cores for all ranks every ready-made study has the size in its file") {
  const auto studies = study_presets().value();
  for (const auto& study : studies) {
    INFO(study.name);
    const auto runs = study_runs(study.name, study.name == "e3_figures" ? kConvNet
                                             : study.name == "e0_bonus" ? kResNet18
                                                                        : kFast);
    const QuickSize size = quick_size(runs, 8, {20, kStudyS});
    CHECK(size.train_samples == runs.front().spec.data.train_samples);
    CHECK(size.left_out.empty());
    CHECK(size.total_s() <= kStudyS);
  }
}

TEST_CASE("on a slower machine all runs of a study shrink alike, and none has a batch of one") {
  const auto runs = study_runs("e4_figure", slower_by(kFast, 2));
  const QuickSize size = quick_size(runs, kCores, {60, kStudyS});
  CHECK(size.train_samples < 140);
  CHECK(size.left_out.empty());
  for (const QuickRun& run : runs) {
    const auto facts = facts_at_size(run.spec, size.train_samples);
    CHECK(facts.steps_per_epoch >= 3);
    CHECK(facts.last_batch >= 2);
    // All runs have the same number of steps, as the global batch is the same.
    CHECK(facts.steps_per_epoch ==
          facts_at_size(runs.front().spec, size.train_samples).steps_per_epoch);
  }
}

TEST_CASE("a form has only a few sizes, so that equal machines choose equal ones") {
  std::vector<std::int64_t> sizes;
  for (double slower = 0.5; slower < 40; slower *= 1.1) {
    const auto size =
        quick_size(study_runs("e4_figure", slower_by(kFast, slower)), 8, {1000, kStudyS});
    if (sizes.empty() || sizes.back() != size.train_samples) sizes.push_back(size.train_samples);
  }
  CHECK(sizes == std::vector<std::int64_t>{140, 105, 73});
}

TEST_CASE("only the run whose precision this processor has no instructions for is left out") {
  const auto runs = study_runs("e2_table", kFast, 30);
  const QuickSize size = quick_size(runs, kCores, {20, kStudyS});
  REQUIRE(size.left_out.size() == 1);
  CHECK(runs[size.left_out.front()].spec.train.precision == "bf16");
  CHECK(size.seconds[size.left_out.front()] > 50);
  CHECK(size.total_s() < kStudyS);
  // The other runs keep their size.
  CHECK(size.train_samples == 128);
}

TEST_CASE("a time is a lower bound if steps of a remaining run were not seen to end") {
  auto runs = study_runs("e2_table", kFast, 30);
  for (QuickRun& run : runs) run.cost.at_least = run.spec.train.precision == "bf16";
  CHECK_FALSE(quick_size(runs, kCores, {20, kStudyS}).at_least);
  for (QuickRun& run : runs) run.may_go = false;
  CHECK(quick_size(runs, kCores, {20, kStudyS}).at_least);
}

TEST_CASE("runs that a person named are never left out, and a baseline is never alone") {
  auto runs = study_runs("e2_table", kFast, 30);
  for (QuickRun& run : runs) run.may_go = false;
  CHECK(quick_size(runs, kCores, {20, kStudyS}).left_out.empty());
  const auto slow = study_runs("e2_table", slower_by(kFast, 100));
  CHECK(quick_size(slow, kCores, {20, kStudyS}).left_out.empty());
}

TEST_CASE("a size that a person chose is kept, however long it takes") {
  const auto runs = study_runs("e4_figure", slower_by(kFast, 5));
  const QuickSize size = quick_size(runs, kCores, {1000, kStudyS}, false);
  CHECK(size.train_samples == 140);
  CHECK(size.total_s() > kStudyS);
}

TEST_CASE("no run, or runs of several sizes, are not resized") {
  CHECK(quick_size({}, kCores, {}).seconds.empty());
  std::vector<QuickRun> runs{{quick_run_spec(1), slower_by(kFast, 9)},
                             {quick_run_spec(2), slower_by(kFast, 9)}};
  runs[1].spec.data.train_samples = 640;
  const QuickSize size = quick_size(runs, kCores, {});
  CHECK(size.train_samples == 320);
  CHECK(size.seconds[1] == Approx(expected_seconds(runs[1].spec, runs[1].cost, kCores)));
}
