#include "gui/analysis/progress.h"
#include "gui/analysis/stops.h"

#include <memory>

#include <cmath>

#include "gui/analysis/scaling/speedup.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

using namespace ringside;
using namespace ringside::analysis;
using messages::Phase;
using support::MadeRun;

namespace {

/// Steps of 100 ms on every rank, the first one from 1,000 ms on, with 4 samples per rank.
MadeRun even_run(Rank ranks, Step steps, std::int64_t steps_per_epoch = 10,
                 std::int64_t epochs = 3) {
  MadeRun run(ranks, steps_per_epoch, epochs);
  for (Step step = 0; step < steps; ++step) {
    for (Rank rank = 0; rank < ranks; ++rank)
      run.step(rank, step, 1000 + 100.0 * static_cast<double>(step + 1), {0, 0, 30, 50, 10, 5, 100},
               4);
  }
  return run;
}

}  // namespace

TEST_CASE("Progress counts finished steps of all ranks") {
  MadeRun run = even_run(2, 14);
  run.step(0, 14, 2500, {0, 0, 0, 1, 0, 0, 100});
  const Progress found = progress(run.model(), MadeRun::kStart + MadeRun::ns(2600));
  CHECK(found.steps_done == 14);
  CHECK(found.steps_planned == 30);
  CHECK(found.epoch == 1);
  CHECK(found.step_in_epoch == 4);
  CHECK(found.share == Approx(14.0 / 30));
  CHECK(*found.elapsed_s == Approx(2.6));
  CHECK(*found.eta_s == Approx(1.6));
}

TEST_CASE("The last step of an epoch still belongs to it") {
  const MadeRun run = even_run(1, 10);
  CHECK(progress(run.model(), 0).epoch == 0);
  CHECK(progress(run.model(), 0).step_in_epoch == 10);
  const MadeRun whole = even_run(1, 30);
  CHECK(progress(whole.model(), 0).epoch == 2);
  CHECK(progress(whole.model(), 0).share == 1.0);
}

TEST_CASE("Before the first step there is no estimate, and at the end nothing is left") {
  MadeRun run(2, 10, 3);
  const Progress before = progress(run.model(), MadeRun::kStart);
  CHECK(before.steps_done == 0);
  CHECK_FALSE(before.eta_s.has_value());
  CHECK_FALSE(progress(model::RunModel(), 5).elapsed_s.has_value());
  MadeRun over = even_run(1, 30);
  messages::RankState state;
  state.state = messages::State::kFinished;
  over.model().accept({0, kNoRank, 0, MadeRun::kStart + MadeRun::ns(4200)}, state);
  const Progress after = progress(over.model(), MadeRun::kStart + MadeRun::ns(99'000));
  CHECK_FALSE(after.eta_s.has_value());
  CHECK(*after.elapsed_s == Approx(4.2));
}

TEST_CASE("After a resume the pace is that of the new attempt, and the stop does not count") {
  support::DemoOptions options = support::demo_small(2);
  options.steps = 100;
  options.resume_from = 80;
  options.resume_to = 90;
  options.finish = false;
  model::RunModel model(support::demo_spec(options));
  support::play_demo(options, model);
  const Progress found = progress(model, model.last_ns());
  CHECK(found.steps_done == 90);
  const auto stopped = stops(model);
  REQUIRE(stopped.size() == 1);
  CHECK(stopped_s(model) == Approx(20).epsilon(0.01));
  // There are two start-ups of 4 s, 110 steps of 91 ms, and the ends of five epochs.
  CHECK(*found.elapsed_s == Approx(20.35).epsilon(0.01));
  // The estimate is 30 steps of about 91 ms: the pause of more than 20 s before the resume is not
  // part of the pace.
  CHECK(*found.eta_s == Approx(30 * 0.091).epsilon(0.1));
}

TEST_CASE("A run that was stopped for a while is not slower for it") {
  const auto played = [](Step stopped_at, Step resume_from) {
    support::DemoOptions options = support::demo_small(2);
    options.steps = stopped_at;
    options.finish = true;
    options.resume_from = resume_from;
    options.resume_to = 120;
    auto model = std::make_unique<model::RunModel>(support::demo_spec(options));
    support::play_demo(options, *model);
    return model;
  };
  const auto whole = played(120, -1);
  // The run continues at the end of an epoch, in the middle of one, or from its first step.
  for (const Step from : {Step{80}, Step{70}, Step{0}}) {
    const auto model = played(100, from);
    INFO("went on from step " << from);
    CHECK(*run_times(*model).training_s == Approx(*run_times(*whole).training_s).epsilon(0.02));
    CHECK(*seconds_to_epoch(*model, 3) == Approx(*seconds_to_epoch(*whole, 3)).epsilon(0.02));
    const std::int64_t samples = samples_trained(*whole) * 9 / 10;
    CHECK(*seconds_to_samples(*model, samples) ==
          Approx(*seconds_to_samples(*whole, samples)).epsilon(0.02));
    CHECK(speedup(*model, whole.get(), true).speedup == Approx(1).epsilon(0.02));
  }
}

TEST_CASE("The time of epochs runs from the first step to the end of evaluation and checkpoint") {
  MadeRun run = even_run(2, 10);
  CHECK(complete_epochs(run.model()) == 0);
  run.pass(0, Phase::kTrain, 0, 2010, 30, 40);
  CHECK(complete_epochs(run.model()) == 0);
  run.pass(1, Phase::kTrain, 0, 2020, 30, 40);
  CHECK(complete_epochs(run.model()) == 0);
  run.pass(0, Phase::kValidate, 0, 2500, 5, 10);
  run.pass(1, Phase::kValidate, 0, 2510, 5, 10);
  CHECK(complete_epochs(run.model()) == 1);
  CHECK(*seconds_to_epoch(run.model(), 1) == Approx(1.51));
  messages::Checkpoint saved;
  saved.epoch = 0;
  saved.step = 10;
  run.say(0, 2700, saved);
  CHECK(*seconds_to_epoch(run.model(), 1) == Approx(1.7));
  // A checkpoint that a stop in the next epoch made is not part of this one.
  saved.step = 13;
  run.say(0, 3000, saved);
  CHECK(*seconds_to_epoch(run.model(), 1) == Approx(1.7));
  CHECK_FALSE(seconds_to_epoch(run.model(), 2).has_value());
  CHECK_FALSE(seconds_to_epoch(run.model(), 0).has_value());
}

TEST_CASE("Samples are reached in proportion within a step") {
  const MadeRun run = even_run(2, 10);
  CHECK(samples_trained(run.model()) == 80);
  CHECK(*seconds_to_samples(run.model(), 8) == Approx(0.1));
  CHECK(*seconds_to_samples(run.model(), 12) == Approx(0.15));
  CHECK(*seconds_to_samples(run.model(), 80) == Approx(1.0));
  CHECK_FALSE(seconds_to_samples(run.model(), 81).has_value());
  CHECK_FALSE(seconds_to_samples(run.model(), 0).has_value());
}

TEST_CASE("Wall time is separate from training time") {
  MadeRun run = even_run(2, 10);
  for (Rank rank = 0; rank < 2; ++rank) {
    run.pass(rank, Phase::kTrain, 0, 2010, 30, 40, 0, rank == 0 ? 1.0 : 1.2);
    run.pass(rank, Phase::kValidate, 0, 2500, 5, 10, 0, 0.4);
  }
  messages::Checkpoint saved;
  saved.seconds = 0.2;
  run.say(0, 2700, saved);
  const RunTimes times = run_times(run.model());
  CHECK(*times.start_up_s == Approx(1.0));
  CHECK(*times.training_s == Approx(1.7));
  CHECK(*times.total_s == Approx(2.7));
  CHECK(times.train_pass_s == Approx(1.2));
  CHECK(times.evaluate_s == Approx(0.4));
  CHECK(times.checkpoint_s == Approx(0.2));
  CHECK_FALSE(run_times(model::RunModel()).total_s.has_value());
}

TEST_CASE("A restarted script has trained since then, though its first step has no known time") {
  MadeRun run(1);
  const auto steps = [&run](double from_ms) {
    for (Step step = 0; step < 4; ++step) {
      messages::StepReport body;
      body.step = step;
      body.samples = 1;
      body.step_ns = step == 0 ? -1 : 100'000'000;
      run.say(0, from_ms + 100.0 * static_cast<double>(step), body);
    }
  };
  steps(1000);
  CHECK(*run_times(run.model()).training_s == Approx(0.3));
  messages::RankHello again;
  again.world_size = again.attempt = 1;
  run.say(0, 10'000, again);
  steps(11'000);
  CHECK(*run_times(run.model()).training_s == Approx(0.3));
}

TEST_CASE("If all records have the same time, the duration is unknown and not zero") {
  MadeRun run(1);
  for (Step step = 0; step < 4; ++step) {
    messages::StepReport body;
    body.step = step;
    body.step_ns = -1;
    run.say(0, 1000, body);
  }
  CHECK_FALSE(run_times(run.model()).training_s);
}

TEST_CASE("Throughput is samples over step time, added over ranks") {
  const MadeRun run = even_run(3, 50, 100, 1);
  const Throughput found = throughput(run.model(), {10, 50});
  CHECK(found.total_per_s == Approx(120.0));
  REQUIRE(found.ranks.size() == 3);
  CHECK(found.ranks[1].second == Approx(40.0));
  CHECK(throughput(run.model(), {60, 70}).total_per_s == 0);
}

TEST_CASE("Steps with unknown samples do not count for the throughput") {
  MadeRun run(1);
  for (Step step = 0; step < 10; ++step)
    run.step(0, step, 25.0 * static_cast<double>(step + 1), {.step = 25}, step < 4 ? 8 : -1);
  CHECK(throughput(run.model(), {0, 10}).total_per_s == Approx(320));
}

TEST_CASE("An epoch that the steps do not report is unknown") {
  MadeRun run(1);
  messages::StepReport body;
  body.epoch = -1;
  run.say(0, 1000, body);
  CHECK(progress(run.model(), MadeRun::kStart).epoch == -1);
  body.epoch = 0;
  body.step = 1;
  run.say(0, 1001, body);
  CHECK(progress(run.model(), MadeRun::kStart).epoch == 0);
}

TEST_CASE("Percentiles of step times use the nearest rank") {
  MadeRun run(1);
  for (Step step = 0; step < 100; ++step)
    run.step(0, step, 1000, {0, 0, 0, 1, -1, 0, static_cast<double>(100 - step)});
  const StepTimeFigures found = step_times(run.model(), 0, {0, 100});
  CHECK(found.p50_ns == Approx(50e6));
  CHECK(found.p95_ns == Approx(95e6));
  CHECK(found.mean_ns == Approx(50.5e6));
  CHECK(found.steps == 100);
  CHECK(std::isnan(step_times(run.model(), 0, {100, 200}).p50_ns));
  CHECK(std::isnan(step_times(run.model(), 5, {0, 100}).p50_ns));
}

TEST_CASE("Warm-up steps are left out where enough steps remain") {
  CHECK(timed_steps(even_run(2, 100).model()).range == StepRange{20, 100});
  CHECK(timed_steps(even_run(2, 100).model()).left_out == 20);
  CHECK(timed_steps(even_run(2, 30).model()).range == StepRange{3, 30});
  CHECK(timed_steps(even_run(2, 5).model()).range == StepRange{0, 5});
  CHECK(timed_steps(model::RunModel()).range.count() == 0);
  CHECK(recent_steps(even_run(1, 1000, 10, 100).model()) == StepRange{800, 1000});
  CHECK(recent_steps(even_run(1, 120, 10, 12).model()) == StepRange{20, 120});
}

TEST_CASE("Waiting in the queue does not count as time of the run") {
  MadeRun run(2, 10, 3);
  messages::RankState state;
  state.state = messages::State::kQueued;
  run.model().accept({0, kNoRank, 0, MadeRun::kStart}, state);
  CHECK_FALSE(progress(run.model(), MadeRun::kStart + MadeRun::ns(500)).elapsed_s.has_value());
  state.state = messages::State::kStarting;
  run.model().accept({0, kNoRank, 1, MadeRun::kStart + MadeRun::ns(1000)}, state);
  CHECK(*progress(run.model(), MadeRun::kStart + MadeRun::ns(1750)).elapsed_s == Approx(0.75));
}
