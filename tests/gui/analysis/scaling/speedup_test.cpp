#include "gui/analysis/scaling/speedup.h"

#include <cmath>

#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

using namespace ringside;
using namespace ringside::analysis;
using messages::Phase;
using support::MadeRun;

namespace {

/// A run with `epochs` whole epochs of 5 steps of `step_ms`, then `eval_ms` of evaluation; 40
/// samples per epoch.
MadeRun run_of(Rank ranks, Epoch epochs, double step_ms, double eval_ms, std::int64_t planned,
               std::int64_t correct = 5) {
  MadeRun run(ranks, 5, planned);
  double now = 1000;
  for (Epoch epoch = 0; epoch < epochs; ++epoch) {
    for (Step step = 0; step < 5; ++step) {
      now += step_ms;
      for (Rank rank = 0; rank < ranks; ++rank)
        run.step(rank, epoch * 5 + step, now, {0, 0, 0, 1, -1, 0, step_ms}, 8 / ranks);
    }
    for (Rank rank = 0; rank < ranks; ++rank)
      run.pass(rank, Phase::kTrain, epoch, now, 1, 40 / ranks);
    now += eval_ms;
    for (Rank rank = 0; rank < ranks; ++rank)
      run.pass(rank, Phase::kValidate, epoch, now, correct, 10);
  }
  return run;
}

}  // namespace

TEST_CASE("Speedup compares the same epochs and projects the rest") {
  // Baseline: 10 epochs of 5 x 100 + 100 = 600 ms. Ours: 4 epochs of 5 x 30 + 50 = 200 ms so far,
  // on 4 ranks.
  const MadeRun baseline = run_of(1, 10, 100, 100, 10, 8);
  const MadeRun run = run_of(4, 4, 30, 50, 10, 7);
  const Speedup found = speedup(run.model(), &baseline.model(), false);
  REQUIRE(found.missing == NoSpeedup::kNone);
  CHECK(found.epochs == 4);
  CHECK(found.samples == 160);
  CHECK(found.baseline_s == Approx(2.4));
  CHECK(found.run_s == Approx(0.8));
  CHECK(found.speedup == Approx(3.0));
  CHECK(found.efficiency == Approx(0.75));
  CHECK(found.time_cut == Approx(2.0 / 3));
  CHECK(found.projected);
  CHECK(found.run_total_s == Approx(2.0));
  CHECK(found.baseline_total_s == Approx(6.0));
  CHECK(found.ideal_total_s == Approx(1.5));
  CHECK(*found.steady_speedup == Approx(100.0 / 30));
  CHECK(found.accuracy->delta() == Approx(-0.1));
  CHECK(found.accuracy->run.epoch == 3);
}

TEST_CASE("At the end the totals are measured") {
  const MadeRun baseline = run_of(1, 10, 100, 100, 10);
  const MadeRun run = run_of(2, 10, 50, 50, 10);
  const Speedup found = speedup(run.model(), &baseline.model(), true);
  CHECK_FALSE(found.projected);
  CHECK(found.run_total_s == Approx(3.0));
  CHECK(found.baseline_total_s == Approx(6.0));
  CHECK(found.speedup == Approx(2.0));
  CHECK(found.efficiency == Approx(1.0));
}

TEST_CASE("A run that was stopped early is compared with equally many epochs of its baseline") {
  const MadeRun baseline = run_of(1, 10, 100, 100, 10);
  const MadeRun run = run_of(2, 3, 60, 60, 10);
  const Speedup found = speedup(run.model(), &baseline.model(), true);
  CHECK_FALSE(found.projected);
  CHECK(found.epochs == 3);
  CHECK(found.baseline_total_s == Approx(1.8));
  CHECK(found.run_total_s == Approx(1.08));
}

TEST_CASE("Within the first epoch equal numbers of samples are compared") {
  const MadeRun baseline = run_of(1, 2, 100, 100, 2);
  MadeRun run(2, 5, 2);
  for (Step step = 0; step < 3; ++step) {
    for (Rank rank = 0; rank < 2; ++rank)
      run.step(rank, step, 1000 + 60.0 * static_cast<double>(step + 1), {0, 0, 0, 1, -1, 0, 60}, 4);
  }
  const Speedup found = speedup(run.model(), &baseline.model(), true);
  REQUIRE(found.missing == NoSpeedup::kNone);
  CHECK(found.epochs == 0);
  CHECK(found.samples == 24);
  CHECK(found.speedup == Approx(300.0 / 180));
  CHECK(found.run_total_s == Approx(0.18));
  CHECK(found.baseline_total_s == Approx(0.3));
  // While the run is active, these few steps are warm-up.
  CHECK(speedup(run.model(), &baseline.model(), false).missing == NoSpeedup::kTooEarly);
}

TEST_CASE("A speedup that cannot be given has a reason") {
  const MadeRun baseline = run_of(1, 2, 100, 100, 2);
  const MadeRun run = run_of(2, 2, 60, 60, 2);
  CHECK(speedup(run.model(), nullptr, false).missing == NoSpeedup::kNoBaseline);
  CHECK(speedup(MadeRun(2, 5, 2).model(), &baseline.model(), false).missing ==
        NoSpeedup::kTooEarly);
  const MadeRun empty(1, 5, 2);
  CHECK(speedup(run.model(), &empty.model(), false).missing == NoSpeedup::kBaselineTooShort);
  messages::RunSpec other;
  other.model.name = "resnet18";
  const model::RunModel different(other);
  const Speedup refused = speedup(run.model(), &different, false);
  CHECK(refused.missing == NoSpeedup::kDifferentWork);
  CHECK(refused.why == "The baseline has a different model: resnet18 instead of convnet.");
}

TEST_CASE("Another precision gets a speedup but never an efficiency") {
  support::DemoOptions options = support::demo_small(2);
  messages::RunSpec spec = support::demo_spec(options);
  spec.train.precision = "bf16";
  model::RunModel run(spec);
  support::play_demo(options, run);
  support::DemoOptions one = support::demo_small(1);
  model::RunModel baseline(support::demo_spec(one));
  support::play_demo(one, baseline);
  const Speedup found = speedup(run, &baseline, true);
  REQUIRE(found.missing == NoSpeedup::kNone);
  CHECK(found.precision_differs);
  CHECK(std::isnan(found.efficiency));
  CHECK(found.speedup > 0);
}

TEST_CASE("PyTorch's default precision is fp32 on CPU slots, and another one on GPUs") {
  const auto differs = [](const std::string& kind) {
    const support::DemoOptions options = support::demo_small(1);
    messages::RunSpec spec = support::demo_spec(options);
    spec.devices.kind = kind;
    model::RunModel run(spec);
    support::play_demo(options, run);
    spec.train.precision = "fp32";  // as in runs of earlier versions
    model::RunModel baseline(spec);
    support::play_demo(options, baseline);
    return speedup(run, &baseline, true).precision_differs;
  };
  CHECK_FALSE(differs("cpu"));
  CHECK(differs("cuda"));
}

TEST_CASE("DataParallel is one process and counts every device: 0.69 on four is 17.3 %") {
  messages::RunSpec spec;
  spec.devices.world_size = 4;
  spec.devices.parallel = "dp";
  MadeRun run(spec, 5, 1);
  REQUIRE(run.ranks() == 1);
  for (Step step = 0; step < 5; ++step)
    run.step(0, step, 1000 + 382.0 * static_cast<double>(step + 1), {0, 0, 0, 1, -1, 0, 382}, 8);
  run.pass(0, Phase::kTrain, 0, 1000 + 5 * 382.0, 1, 40);
  const MadeRun baseline = run_of(1, 1, 264, 0, 1);
  run.pass(0, Phase::kValidate, 0, 1000 + 5 * 382.0, 5, 10);
  const Speedup found = speedup(run.model(), &baseline.model(), true);
  REQUIRE(found.missing == NoSpeedup::kNone);
  CHECK(found.devices == 4);
  CHECK(found.speedup == Approx(264.0 / 382));
  CHECK(found.efficiency == Approx(264.0 / 382 / 4));
  CHECK(found.ideal_total_s == Approx(found.baseline_total_s / 4));
}

TEST_CASE("A speedup is measured by a source's clock: only training passes, or the whole run") {
  const auto made = [](Rank ranks, double step_ms, double pass_s, double end_ms) {
    MadeRun run(ranks, 5, 2);
    double now = 1000;
    for (Epoch epoch = 0; epoch < 2; ++epoch) {
      for (Step step = 0; step < 5; ++step) {
        now += step_ms;
        for (Rank rank = 0; rank < ranks; ++rank)
          run.step(rank, epoch * 5 + step, now, {0, 0, 0, 1, -1, 0, step_ms}, 8);
      }
      for (Rank rank = 0; rank < ranks; ++rank)
        run.pass(rank, Phase::kTrain, epoch, now, 1, 40, 0, pass_s);
      now += 100;
      for (Rank rank = 0; rank < ranks; ++rank) run.pass(rank, Phase::kValidate, epoch, now, 5, 10);
    }
    messages::RankState ended;
    ended.state = messages::State::kFinished;
    run.say(kNoRank, end_ms, ended);
    return run;
  };
  const MadeRun baseline = made(1, 100, 0.5, 5000);
  const MadeRun run = made(2, 40, 0.2, 4000);
  const auto by = [&](Clock clock) { return speedup_by(clock, run.model(), baseline.model()); };
  CHECK(*by(Clock::kTraining) == Approx(1.2 / 0.6));
  CHECK(*by(Clock::kTrainPass) == Approx(1.0 / 0.4));
  CHECK(*by(Clock::kWholeRun) == Approx(5.0 / 4));
  CHECK(*seconds_by(Clock::kTrainPass, run.model(), 1) == Approx(0.2));
  CHECK(!seconds_by(Clock::kTrainPass, run.model(), 3));
  CHECK(!seconds_by(Clock::kWholeRun, run.model(), 1));
  CHECK(!speedup_by(Clock::kTraining, run.model(), MadeRun(1, 5, 2).model()));
}

TEST_CASE("A speedup without the late rank is that of steps without its wait") {
  Speedup found;
  found.missing = NoSpeedup::kNone;
  found.speedup = 3.41;
  Straggler late;
  late.cost_ns = 5.3e6;
  CHECK(without_straggler(found, late, 91.6e6) == Approx(3.41 * 91.6 / 86.3));
  CHECK(without_straggler(found, late, 5e6) == 3.41);
}

TEST_CASE("The demo run is 3.4 times as fast as its baseline") {
  model::RunModel run(support::demo_spec(support::demo_run()));
  support::play_demo(support::demo_run(), run);
  model::RunModel baseline(support::demo_spec(support::demo_baseline()));
  support::play_demo(support::demo_baseline(), baseline);
  const Speedup found = speedup(run, &baseline, false);
  CHECK(found.epochs == 46);
  CHECK(found.speedup == Approx(3.41).margin(0.04));
  CHECK(found.baseline_total_s == Approx(2018.4).margin(2));
  CHECK(found.accuracy->delta() == Approx(-0.0064).margin(1e-4));
}
