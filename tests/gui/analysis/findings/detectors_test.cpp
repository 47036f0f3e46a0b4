// Each detector's finding, and that it finds nothing without its records and within its noise.
#include "gui/analysis/findings/detectors.h"

#include "gui/analysis/evaluation.h"
#include "gui/analysis/work.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using messages::Phase;
using messages::RunSpec;
using support::MadeRun;

namespace {

RunSpec spec_of(std::int64_t ranks, std::int64_t batch) {
  RunSpec spec;
  spec.devices.world_size = ranks;
  spec.batch.size = batch;
  spec.batch.meaning = "per_rank";
  spec.data.name = "cifar10";
  spec.model.name = "resnet50";
  return spec;
}

bool says(const std::optional<analysis::Finding>& found, const std::string& words) {
  const std::string text = found ? found->text : "";
  INFO(text);
  return text.find(words) != std::string::npos;
}

// A run with `steps` steps of `ms` each, every second one longer by `jitter_ms`.
MadeRun timed(const RunSpec& spec, Step steps, double ms, double jitter_ms = 0,
              std::int32_t samples = 64, double lr = 0.1) {
  MadeRun run(spec, steps, 1);
  const auto ranks = static_cast<Rank>(messages::process_count(spec));
  double at_ms = 0;
  for (Step step = 0; step < steps; ++step) {
    const double took = ms + (step % 2 == 0 ? 0 : jitter_ms);
    at_ms += took;
    for (Rank rank = 0; rank < ranks; ++rank) {
      messages::StepReport body;
      body.step = step;
      body.samples = samples;
      body.loss = 1;
      body.lr = lr;
      body.forward_ns = MadeRun::ns(took / 2);
      body.backward_ns = MadeRun::ns(took / 2);
      body.step_ns = MadeRun::ns(took);
      run.say(rank, at_ms, body);
    }
  }
  return run;
}

}  // namespace

TEST_CASE(
    "DataParallel slower than the baseline is reported with both paces, and only beyond the "
    "noise") {
  const auto baseline = timed(spec_of(1, 256), 60, 10, 0.1, 256);
  RunSpec dp = spec_of(4, 256);
  dp.devices.parallel = "dp";
  const auto slow = timed(dp, 60, 58, 0.1, 1024);
  const auto found = analysis::slower_dp(slow.model(), baseline.model());
  CHECK(says(found, "DataParallel on 4 devices"));
  CHECK(says(found, "(0.69x)"));
  const auto fast = timed(dp, 60, 20, 0.1, 1024);
  CHECK(!analysis::slower_dp(fast.model(), baseline.model()));
  const auto noisy = timed(dp, 60, 1, 90, 1024);  // longer by 46 ms on average, with noise
  CHECK(!analysis::slower_dp(noisy.model(), baseline.model()));
  const auto few = timed(dp, 8, 58, 0, 1024);
  CHECK(!analysis::slower_dp(few.model(), baseline.model()));
  const auto ddp = timed(spec_of(4, 256), 60, 58, 0.1, 256);
  CHECK(!analysis::slower_dp(ddp.model(), baseline.model()));
}

TEST_CASE("AMP slower than fp32 is reported, but only for the same number of devices") {
  const auto fp32 = timed(spec_of(4, 256), 60, 61, 0.1);
  RunSpec amp = spec_of(4, 256);
  amp.train.precision = "fp16";
  const auto slow = timed(amp, 60, 65, 0.1);
  CHECK(says(analysis::slower_amp(slow.model(), fp32.model()),
             "Autocast to fp16 is slower than fp32"));
  CHECK(!analysis::slower_amp(timed(amp, 60, 50, 0.1).model(), fp32.model()));
  CHECK(!analysis::slower_amp(timed(amp, 60, 61.5, 0.1).model(), fp32.model()));
  CHECK(!analysis::slower_amp(slow.model(), timed(spec_of(1, 256), 60, 10).model()));
  CHECK(!analysis::slower_amp(slow.model(), slow.model()));
  // The precision of a script is unknown.
  RunSpec script = spec_of(4, 256);
  script.program.argv = {"python3", "train.py"};
  CHECK(!analysis::slower_amp(slow.model(), timed(script, 60, 50, 0.1).model()));
}

TEST_CASE("a larger global batch at the same learning rate is reported with the updates it costs") {
  const auto one = timed(spec_of(1, 32), 3, 1, 0, 32, 0.01);
  const auto two = timed(spec_of(2, 32), 3, 1, 0, 32, 0.01);
  const auto found = analysis::batch_grew(two.model(), one.model());
  CHECK(says(found, "grew from 32 to 64"));
  CHECK(says(found, "stayed 0.01"));
  CHECK(says(found, "782 updates per epoch instead of 1,563"));
  const auto scaled = timed(spec_of(2, 32), 3, 1, 0, 32, 0.02);
  CHECK(!analysis::batch_grew(scaled.model(), one.model()));
  CHECK(!analysis::batch_grew(one.model(), two.model()));
}

TEST_CASE("ranks that wait while rank 0 evaluates are reported from 1 % of their epochs on") {
  MadeRun run(spec_of(2, 32));
  const auto evaluate = [&](Epoch epoch, double idle_s) {
    run.pass(0, Phase::kTrain, epoch, 1, 1, 10, 1, 8);
    run.pass(1, Phase::kTrain, epoch, 1, 1, 10, 1, 8);
    run.pass(0, Phase::kValidate, epoch, 2, 1, 10, 1, 2);
    messages::EpochReport waiting;
    waiting.epoch = epoch;
    waiting.phase = Phase::kValidate;
    waiting.seconds = 2;
    waiting.idle_seconds = idle_s;
    run.say(1, 2, waiting);
  };
  evaluate(0, 0.04);
  CHECK(!analysis::idle_ranks(run.model()));
  evaluate(0, 2);
  evaluate(1, 2);
  CHECK(
      says(analysis::idle_ranks(run.model()), "1 of 2 ranks were idle for 20.0 % of their epochs"));
  CHECK(says(analysis::idle_ranks(run.model()), "(4.00 s each)"));
  const auto times = analysis::idle_times(run.model());
  REQUIRE(times.size() == 2);
  CHECK(times[0].idle_seconds == 0);
  CHECK(times[1].share() == Approx(0.2));
}

TEST_CASE("the accuracy of a shard is not reported as that of the test set") {
  MadeRun run(spec_of(4, 256));
  for (Rank rank = 0; rank < 4; ++rank) run.pass(rank, Phase::kValidate, 0, 1, 300, 625);
  CHECK(says(analysis::shard_claimed(run.model()), "2,500 of 10,000 test samples"));
  for (Rank rank = 0; rank < 4; ++rank) run.pass(rank, Phase::kValidate, 1, 1, 300, 2500);
  CHECK(!analysis::shard_claimed(run.model()));
}

TEST_CASE("samples that no epoch read are counted") {
  MadeRun run(spec_of(2, 1));
  run.shard(0, 0, {0, 2}, 5);
  CHECK(!analysis::unread_samples(run.model()));
  run.shard(1, 0, {1, 3}, 5);
  CHECK(says(analysis::unread_samples(run.model()), "1 of 5 training samples"));
  CHECK(says(analysis::unread_samples(run.model()), "1 were sampled in none of 1"));
}

TEST_CASE("a dropped short batch counts as left out, though it was drawn") {
  RunSpec spec = spec_of(1, 2);
  spec.batch.drop_last = true;
  MadeRun run(spec);
  run.shard(0, 0, {4, 1, 0, 3, 2}, 5);
  const auto found = analysis::unread_samples(run.model());
  CHECK(says(found, "1 of 5 training samples are not visited in an epoch; 0 were sampled in none"));
  CHECK(found->severity == messages::Severity::kInfo);
}

TEST_CASE("an order that is fixed by the settings is reported as a fact, not as a warning") {
  RunSpec spec = spec_of(1, 1);
  spec.sampler.shuffle = false;
  MadeRun run(spec);
  run.shard(0, 0, {0, 1}, 2);
  CHECK(!analysis::order_repeated(run.model()));
  run.shard(0, 1, {0, 1}, 2);
  const auto found = analysis::order_repeated(run.model());
  REQUIRE(found);
  CHECK(found->severity == messages::Severity::kInfo);
}

TEST_CASE("several ranks that write the same file are named with it") {
  MadeRun run(2);
  messages::Checkpoint saved;
  saved.step = 14;
  saved.path = "/x/final.pt";
  run.say(0, 1, saved);
  CHECK(!analysis::many_writers(run.model()));
  saved.path = "/x/other.pt";
  run.say(1, 1, saved);
  CHECK(!analysis::many_writers(run.model()));
  saved.path = "/x/final.pt";
  run.say(1, 1, saved);
  CHECK(says(analysis::many_writers(run.model()), "2 ranks write the same file /x/final.pt"));
}

TEST_CASE("times of few steps, or of many cold ones, are reported as such") {
  CHECK(says(analysis::cold_timing(timed(spec_of(1, 8), 12, 1).model()), "rest on 12 steps"));
  CHECK(!analysis::cold_timing(timed(spec_of(1, 8), 400, 1).model()));
  MadeRun run(spec_of(1, 8), 100, 1);
  double at_ms = 0;
  for (Step step = 0; step < 100; ++step) {
    const double ms = step < 20 ? 10 : 2;
    at_ms += ms;
    run.step(0, step, at_ms, {.step = ms}, 8);
  }
  // The first 20 steps take 10 ms each and the other 80 steps 2 ms: the extra 20 x 8 ms are 160 of
  // 360 ms.
  CHECK(says(analysis::cold_timing(run.model()), "44 % of the time of all 100 steps"));
  CHECK(!analysis::cold_timing(MadeRun(1).model()));
}

TEST_CASE("time that falls between the timers is reported") {
  MadeRun run(1, 60, 1);
  MadeRun whole(1, 60, 1);
  for (Step step = 0; step < 60; ++step) {
    run.step(0, step, 10.0 * static_cast<double>(step + 1),
             {.forward = 3, .backward = 3, .step = 10});
    whole.step(0, step, 10.0 * static_cast<double>(step + 1),
               {.forward = 4, .backward = 5, .step = 10});
  }
  CHECK(says(analysis::unmeasured_time(run.model()), "40 % of a step (4.00 of 10.00 ms)"));
  CHECK(!analysis::unmeasured_time(whole.model()));
}

TEST_CASE("findings have a fixed order, and a run without records gives none") {
  CHECK(analysis::findings(MadeRun(2).model(), nullptr).empty());
  RunSpec spec = spec_of(3, 128);
  spec.batch.meaning = "global";
  const auto run = timed(spec, 4, 1);
  const auto found = analysis::findings(run.model(), nullptr);
  REQUIRE(found.size() == 2);
  CHECK(found[0].code == "batch_cut");
  CHECK(found[1].code == "cold_timing");
}

TEST_CASE(
    "sizes and learning rates come from the ranks, else from the settings, else are unknown") {
  RunSpec spec = spec_of(1, 8);
  CHECK(analysis::train_samples(MadeRun(spec).model()) == 50000);
  CHECK(analysis::test_samples(spec) == 10000);
  spec.data.name = "shapes";
  spec.data.train_samples = 77;
  MadeRun told(spec);
  CHECK(analysis::train_samples(told.model()) == 77);
  told.shard(0, 0, {0}, 5);
  CHECK(analysis::train_samples(told.model()) == 5);
  spec.data.name = "image_folder";
  CHECK(analysis::train_samples(MadeRun(spec).model()) == 0);
  CHECK(!analysis::work_of(MadeRun(spec).model()));
  spec.program.argv = {"python3"};
  CHECK(analysis::test_samples(spec) == 0);
  const auto run = timed(spec_of(1, 8), 4, 1, 0, 8, 0.25);
  CHECK(analysis::lr_used(run.model(), 0).first == 0.25);
  CHECK(analysis::lr_used(run.model(), 0).last == 0.25);
  CHECK(analysis::lr_used(run.model(), 1).first != analysis::lr_used(run.model(), 1).first);
  // The epochs of this program have no known length.
  MadeRun counted(1);
  for (Step step = 0; step < 6; ++step) {
    messages::StepReport body;
    body.step = step;
    body.lr = step < 4 ? 0.5F : 0.125F;
    counted.say(0, static_cast<double>(step), body);
  }
  for (const Epoch epoch : {0, 1}) {
    messages::EpochReport report;
    report.epoch = epoch;
    report.steps = 3;
    report.last_step = 3 * epoch + 2;
    counted.say(0, 10, report);
  }
  CHECK(analysis::lr_used(counted.model(), 0).first == 0.5);
  CHECK(analysis::lr_used(counted.model(), 1).first == 0.5);
  CHECK(analysis::lr_used(counted.model(), 1).last == 0.125);
}
