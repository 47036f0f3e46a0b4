// What each rule reports, and what it must not report: noise, missing records, normal behavior.
#include "gui/analysis/alerts/alert_rules.h"

#include <cmath>
#include <random>

#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using support::MadeRun;

namespace {

const float kNan = std::nanf("");
const float kInf = std::numeric_limits<float>::infinity();

/// Losses by step, then by rank.
MadeRun with_losses(const std::vector<std::vector<float>>& steps) {
  MadeRun run(static_cast<Rank>(steps.front().size()));
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (std::size_t rank = 0; rank < steps[step].size(); ++rank) {
      run.step(static_cast<Rank>(rank), static_cast<Step>(step), 10.0 * static_cast<double>(step),
               {.step = 10}, 1, steps[step][rank]);
    }
  }
  return run;
}

template <class Loss>
MadeRun with_loss(Step steps, Loss&& loss) {
  MadeRun run(2);
  for (Step step = 0; step < steps; ++step) {
    for (Rank rank = 0; rank < 2; ++rank)
      run.step(rank, step, 10.0 * static_cast<double>(step), {.step = 10}, 1, loss(step));
  }
  return run;
}

template <class Time>
MadeRun with_times(Step steps, Time&& step_ms) {
  MadeRun run(2);
  double now_ms = 0;
  for (Step step = 0; step < steps; ++step) {
    const double ms = step_ms(step);
    now_ms += ms;
    for (Rank rank = 0; rank < 2; ++rank) run.step(rank, step, now_ms, {.step = ms});
  }
  return run;
}

void gradient(MadeRun& run, Rank rank, Step step, float norm, float loss) {
  messages::StepReport body;
  body.step = step;
  body.samples = 1;
  body.loss = loss;
  body.grad_norm = norm;
  body.step_ns = 1'000'000;
  run.say(rank, 10.0 * static_cast<double>(step), body);
}

/// Adds a step in which this many buckets of the rank's own gradient were NaN or Inf.
void own_gradient(MadeRun& run, Rank rank, Step step, std::int32_t buckets, float loss,
                  bool skipped = false) {
  messages::StepReport body;
  body.step = step;
  body.samples = 1;
  body.loss = loss;
  body.step_ns = 1'000'000;
  body.non_finite_buckets = buckets;
  body.skipped = skipped ? 1 : 0;
  run.say(rank, 10.0 * static_cast<double>(step), body);
}

void device_sample(MadeRun& run, double at_ms, std::uint64_t reasons, std::uint32_t valid = 0xff) {
  messages::DeviceSample sample;
  sample.device_uuid = "GPU-1";
  sample.valid = valid;
  sample.throttle_reasons = reasons;
  run.say(kNoRank, at_ms, sample);
}

}  // namespace

TEST_CASE("A rank whose loss broke first is named") {
  const auto run = with_losses({{1, 1, 1}, {1, kNan, 1}, {kNan, kNan, kNan}});
  const auto broken = broken_loss(run.model());
  REQUIRE(broken);
  CHECK(broken->step == 1);
  CHECK(broken->ranks == std::vector<Rank>{1});
  CHECK(broken->steps == 2);
  CHECK(broken->origin_known());
  const auto two = with_losses({{1, kInf, kInf}, {kNan, kNan, kNan}});
  CHECK(broken_loss(two.model())->ranks == std::vector<Rank>{1, 2});
  CHECK(broken_loss(two.model())->origin_known());
}

TEST_CASE("The origin of a broken loss is unknown if the reports do not show it") {
  SECTION("every rank at once, so the weights were broken") {
    const auto run = with_losses({{1, 1}, {kNan, kNan}});
    CHECK(broken_loss(run.model())->no_origin == NoOrigin::kAllAtOnce);
  }
  SECTION("the averaged gradient broke before") {
    MadeRun run(2);
    for (Rank rank = 0; rank < 2; ++rank) {
      gradient(run, rank, 0, 1, 1);
      gradient(run, rank, 1, kInf, 1);
      gradient(run, rank, 2, kNan, kNan);
    }
    CHECK(broken_loss(run.model())->no_origin == NoOrigin::kGradient);
  }
  SECTION("a rank did not report that step") {
    MadeRun run(2);
    run.step(0, 0, 10, {.step = 10}, 1, 1);
    run.step(1, 0, 10, {.step = 10}, 1, 1);
    run.step(0, 1, 20, {.step = 10}, 1, kNan);
    CHECK(broken_loss(run.model())->no_origin == NoOrigin::kNotHeard);
    run.step(1, 1, 20, {.step = 10}, 1, 1);
    CHECK(broken_loss(run.model())->origin_known());
  }
  SECTION("there is only one rank") {
    const auto run = with_losses({{1}, {kNan}});
    CHECK(broken_loss(run.model())->no_origin == NoOrigin::kOnlyRank);
  }
}

TEST_CASE("A gradient that broke before the all-reduce names its rank and step") {
  const auto run_of = [](float loss_behind, float loss_in) {
    MadeRun run(3);
    for (Step step = 0; step < 100; ++step) {
      for (Rank rank = 0; rank < 3; ++rank) {
        const bool here = step == 70 && rank == 1;
        const float loss = step > 70 ? loss_behind : here ? loss_in : 1.0F;
        own_gradient(run, rank, step, step > 70 ? 2 : here ? 1 : 0, loss);
      }
    }
    return run;
  };
  const auto broken = broken_gradient(run_of(kNan, 1).model());
  REQUIRE(broken);
  CHECK(broken->step == 70);
  CHECK(broken->ranks == std::vector<Rank>{1});
  CHECK(broken->all_heard);
  CHECK(broken_gradient(run_of(1, 1).model()));
  // The loss of that step was NaN before its gradient.
  CHECK_FALSE(broken_gradient(run_of(kNan, kNan).model()));
}

TEST_CASE("A gradient that a loss scaler skipped broke nothing") {
  MadeRun run(2);
  for (Step step = 0; step < 300; ++step) {
    const bool overflow = step == 0 || step == 80 || step == 81;
    for (Rank rank = 0; rank < 2; ++rank)
      own_gradient(run, rank, step, overflow && rank == 0 ? 3 : 0, 1, overflow);
  }
  CHECK_FALSE(broken_gradient(run.model()));
  own_gradient(run, 0, 300, 0, 1);
  own_gradient(run, 1, 300, 1, 1);
  const auto broken = broken_gradient(run.model());
  REQUIRE(broken);
  CHECK(broken->step == 300);
  CHECK(broken->ranks == std::vector<Rank>{1});
}

TEST_CASE("A rank whose gradient report is missing may have been the first") {
  MadeRun run(2);
  own_gradient(run, 0, 0, 0, 1);
  own_gradient(run, 1, 0, 0, 1);
  own_gradient(run, 0, 1, 1, 1);
  CHECK_FALSE(broken_gradient(run.model())->all_heard);
  own_gradient(run, 1, 1, 1, 1);
  CHECK(broken_gradient(run.model())->all_heard);
  CHECK(broken_gradient(run.model())->ranks == std::vector<Rank>{0, 1});
}

TEST_CASE("Losses that are finite or unknown are not broken") {
  CHECK_FALSE(broken_loss(with_losses({{1, 3e38F}, {-5, 0}}).model()));
  const float unknown = messages::kUnknownF;
  CHECK_FALSE(broken_loss(with_losses({{unknown, unknown}, {unknown, unknown}}).model()));
  CHECK_FALSE(broken_loss(model::RunModel()));
}

TEST_CASE("A loss that rose most of the way back to its start has diverged") {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.05);
  const auto loss = [&](Step step) {
    const double at = static_cast<double>(step);
    const double level = step < 600 ? 0.5 + 1.8 * std::exp(-at / 100) : 2.4;
    return static_cast<float>(level + noise(random));
  };
  const auto fine = with_loss(590, loss);
  CHECK_FALSE(diverged(fine.model()));
  const auto gone = with_loss(700, loss);
  const auto change = diverged(gone.model());
  REQUIRE(change);
  CHECK(change->now == Approx(2.4).margin(0.05));
  CHECK(change->before == Approx(0.5).margin(0.05));
  const auto from_the_start = with_loss(
      300, [&](Step step) { return static_cast<float>(2.3 + 0.02 * static_cast<double>(step)); });
  CHECK(diverged(from_the_start.model()));
}

TEST_CASE("A loss that broke in its first steps has diverged, though it never rose after them") {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 2);
  const auto broken = with_loss(400, [&](Step step) {
    return step == 0 ? 2.3F : step == 4 ? 2.8e19F : static_cast<float>(31 + noise(random));
  });
  const auto change = diverged(broken.model());
  REQUIRE(change);
  CHECK(change->before == Approx(2.3));
  CHECK(change->now == Approx(31).margin(1));
  CHECK(change->before_step == 0);
  // An easy first batch is not the level of an untrained net.
  const auto easy = with_loss(400, [&](Step step) {
    return step == 0 ? 1.4F : static_cast<float>(2.3 + noise(random) / 20);
  });
  CHECK_FALSE(diverged(easy.model()));
}

TEST_CASE("A loss far above those of the 200 steps before it is a spike, for 50 steps") {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.05);
  const auto made = [&](Step steps, Step leap, float height) {
    return with_loss(steps, [&, leap, height](Step step) {
      return step == leap ? height : static_cast<float>(0.5 + noise(random));
    });
  };
  const auto run = made(330, 300, 4);
  const auto spike = loss_spike(run.model());
  REQUIRE(spike);
  CHECK(spike->now == Approx(4));
  CHECK(spike->before == Approx(0.5).margin(0.05));
  CHECK(spike->before_step == 300);
  CHECK_FALSE(diverged(run.model()));
  CHECK_FALSE(loss_spike(made(360, 300, 4).model()));
  CHECK_FALSE(loss_spike(made(330, 300, 1.2F).model()));
  CHECK_FALSE(loss_spike(made(160, 150, 40).model()));  // the first steps are ignored
  // The model has memorised all batches but a hard one now and then.
  CHECK_FALSE(
      loss_spike(with_loss(400, [](Step step) { return step % 37 == 0 ? 1.5F : 0.001F; }).model()));
}

TEST_CASE("Noise, a small rise and a short run are not taken for divergence") {
  std::mt19937 random(2);
  std::normal_distribution<double> noise(0, 1);
  SECTION("noise as large as the loss, in 20 runs") {
    for (int i = 0; i < 20; ++i) {
      const auto run =
          with_loss(1000, [&](Step) { return static_cast<float>(std::exp(noise(random))); });
      CHECK_FALSE(diverged(run.model()));
    }
  }
  SECTION("a warm restart gives back a third of the gain") {
    const auto run = with_loss(1000, [&](Step step) {
      const double level = step < 500 ? 2.3 - 0.003 * static_cast<double>(step) : 1.3;
      return static_cast<float>(level + 0.02 * noise(random));
    });
    CHECK_FALSE(diverged(run.model()));
  }
  SECTION("a loss near zero that doubles within its noise") {
    const auto run = with_loss(1000, [&](Step step) {
      const double level = step < 100 ? 2.0 : step < 900 ? 0.01 : 0.02;
      return static_cast<float>(level + 0.004 * noise(random));
    });
    CHECK_FALSE(diverged(run.model()));
  }
  SECTION("less than 200 steps") {
    const auto run = with_loss(190, [](Step step) { return step < 100 ? 1.0F : 9.0F; });
    CHECK_FALSE(diverged(run.model()));
  }
  SECTION("a loss that is not reported") {
    const auto run = with_loss(500, [](Step) { return messages::kUnknownF; });
    CHECK_FALSE(diverged(run.model()));
  }
}

TEST_CASE("Steps that take more than twice their first time are reported, with both times") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> wobble(0.9, 1.1);
  const auto times = [&](Step step) { return (step < 400 ? 100 : 230) * wobble(random); };
  const auto run = with_times(500, times);
  const auto slow = slow_steps(run.model());
  REQUIRE(slow);
  CHECK(slow->before == Approx(100e6).epsilon(0.03));
  CHECK(slow->now == Approx(230e6).epsilon(0.03));
}

TEST_CASE("Slow steps are not found in noise, outliers, the warm-up or without step times") {
  std::mt19937 random(4);
  std::lognormal_distribution<double> wild(0, 0.8);
  SECTION("times that spread over a factor of ten, in 20 runs") {
    for (int i = 0; i < 20; ++i) {
      const auto run = with_times(600, [&](Step) { return 50 * wild(random); });
      CHECK_FALSE(slow_steps(run.model()));
    }
  }
  SECTION("every fourth step takes ten times as long") {
    const auto run =
        with_times(600, [](Step step) { return step > 500 && step % 4 == 0 ? 500. : 50.; });
    CHECK_FALSE(slow_steps(run.model()));
  }
  SECTION("1.9 times as long") {
    const auto run = with_times(600, [](Step step) { return step > 400 ? 190. : 100.; });
    CHECK_FALSE(slow_steps(run.model()));
  }
  SECTION("a slow start") {
    const auto run = with_times(600, [](Step step) { return step < 20 ? 900. : 100.; });
    CHECK_FALSE(slow_steps(run.model()));
  }
  SECTION("59 steps are too few") {
    const auto run = with_times(59, [](Step step) { return step > 39 ? 900. : 100.; });
    CHECK_FALSE(slow_steps(run.model()));
  }
  SECTION("no step times") {
    const auto run = with_times(600, [](Step) { return 0.; });
    CHECK_FALSE(slow_steps(run.model()));
  }
}

TEST_CASE("A device that is slowed by heat for five seconds is named with its rank") {
  MadeRun run(1);
  messages::RankHello hello;
  hello.device_uuid = "GPU-1";
  run.say(0, 0, hello);
  for (int i = 0; i <= 12; ++i) device_sample(run, 500.0 * i, 0x40);
  const auto found = slowed_devices(run.model());
  REQUIRE(found.size() == 1);
  CHECK(found[0].rank == 0);
  CHECK(found[0].seconds == Approx(6));
  device_sample(run, 6500, 0);
  CHECK(slowed_devices(run.model()).empty());
}

TEST_CASE("A device is not called slowed for normal, short or unknown reasons") {
  MadeRun run(1);
  SECTION("idle, clocks that were set, the power cap") {
    for (int i = 0; i <= 30; ++i) device_sample(run, 500.0 * i, 0x1 | 0x2 | 0x4 | 0x10 | 0x100);
  }
  SECTION("four seconds at a time") {
    for (int i = 0; i <= 30; ++i) device_sample(run, 500.0 * i, i % 9 == 0 ? 0 : 0x20);
  }
  SECTION("the device reports no reasons") {
    for (int i = 0; i <= 30; ++i) device_sample(run, 500.0 * i, 0x40, 0x7f);
  }
  SECTION("two samples far apart") {
    device_sample(run, 0, 0x40);
    device_sample(run, 60'000, 0x40);
  }
  CHECK(slowed_devices(run.model()).empty());
}

TEST_CASE("A disk is low below what the run needs, and only if its free space is known") {
  const auto free_of = [](MadeRun& run, std::int64_t bytes) {
    messages::HostSample host;
    host.disk_free_bytes = bytes;
    run.say(kNoRank, 1, host);
    return low_disks(run.model());
  };
  constexpr std::int64_t kGib = std::int64_t{1} << 30;
  MadeRun run(1);
  CHECK(low_disks(run.model()).empty());
  CHECK(free_of(run, -1).empty());
  CHECK(free_of(run, kGib).empty());
  REQUIRE(free_of(run, kGib - 1).size() == 1);
  CHECK(free_of(run, 0).size() == 1);
  CHECK(free_of(run, 3 * kGib).empty());
  messages::Checkpoint saved;
  saved.size_bytes = 2 * kGib;
  run.say(0, 2, saved);
  const auto low = free_of(run, 3 * kGib);
  REQUIRE(low.size() == 1);
  CHECK(low[0].wanted_bytes == 4 * kGib);
  CHECK(low[0].free_bytes == 3 * kGib);
}
