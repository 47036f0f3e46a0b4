#include "gui/analysis/scaling/pace.h"

#include <cmath>
#include <random>

#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using support::MadeRun;

namespace {

constexpr int kTrials = 200;
/// Allowed errors: a 95 % interval misses the truth in at most one of 20 trials.
constexpr int kMostWrong = kTrials / 20;

struct Noise {
  double deviation = 0.05;  ///< relative to a step's time
  double alike = 0.6;       ///< correlation of neighbouring steps
  double drift = 0;         ///< from the first step to the last, in either direction, with mean 0
  double spikes = 0;        ///< share of steps that take half as long again
};

/// A run of two ranks whose steps take `step_ms` with the noise of a busy host.
MadeRun noisy_run(unsigned seed, double step_ms, const Noise& noise, Step steps = 320) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share(0, 1);
  const double drift = noise.drift * (2 * share(random) - 1);
  double alike = normal(random);
  MadeRun run(2, steps, 1);
  double now = 1000;
  for (Step step = 0; step < steps; ++step) {
    alike = noise.alike * alike + std::sqrt(1 - noise.alike * noise.alike) * normal(random);
    const double place = static_cast<double>(step) / static_cast<double>(steps) - 0.5;
    double factor = 1 + noise.deviation * alike + drift * place;
    if (share(random) < noise.spikes) factor += 0.5;
    const double took = step_ms * std::max(0.2, factor);
    now += took;
    for (Rank rank = 0; rank < 2; ++rank)
      run.step(rank, step, now, {0, 0, took / 3, took / 3, 0, 0, took}, 32);
  }
  return run;
}

struct Counts {
  int passed = 0;
  int failed = 0;
  int unsure = 0;
};

/// Judges seeded pairs of runs, one `slower` than the other, against a limit.
Counts judge_trials(double slower, double limit, const Noise& noise, int repeats = 1) {
  Counts counts;
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    std::vector<Pace> ours;
    std::vector<Pace> theirs;
    for (unsigned repeat = 0; repeat < static_cast<unsigned>(repeats); ++repeat) {
      const unsigned seed = 2 * (trial * 10 + repeat);
      ours.push_back(*pace_of(noisy_run(seed, 10 * (1 + slower), noise).model()));
      theirs.push_back(*pace_of(noisy_run(seed + 1, 10, noise).model()));
    }
    const LimitVerdict verdict = slowdown(ours, theirs, limit).verdict;
    counts.passed += verdict == LimitVerdict::kPass ? 1 : 0;
    counts.failed += verdict == LimitVerdict::kFail ? 1 : 0;
    counts.unsure += verdict == LimitVerdict::kTooNoisy ? 1 : 0;
  }
  return counts;
}

constexpr Noise kQuiet{0.05, 0.6, 0, 0};
constexpr Noise kAlike{0.05, 0.9, 0, 0};
constexpr Noise kDrifting{0.05, 0.6, 0.03, 0};
constexpr Noise kWarming{0.05, 0.6, 0.1, 0};
constexpr Noise kSpiky{0.05, 0.6, 0.02, 0.01};

}  // namespace

TEST_CASE("a run exactly at its limit fails no more often than the interval claims") {
  for (const Noise& noise : {kQuiet, kAlike, kDrifting, kWarming, kSpiky}) {
    const Counts same = judge_trials(0, 0, noise);
    const Counts at_limit = judge_trials(0.05, 0.05, noise);
    INFO("alike " << noise.alike << ", drift " << noise.drift << ", spikes " << noise.spikes);
    CAPTURE(same.failed, same.passed, at_limit.failed, at_limit.passed);
    CHECK(same.failed <= kMostWrong);
    CHECK(at_limit.failed <= kMostWrong);
    CHECK(same.unsure >= kTrials * 9 / 10);
  }
}

TEST_CASE("a run 10 % slower fails a limit of 5 %, and an equally fast one passes it") {
  for (const Noise& noise : {kQuiet, kDrifting, kSpiky}) {
    const Counts slow = judge_trials(0.1, 0.05, noise);
    const Counts same = judge_trials(0, 0.05, noise);
    INFO("drift " << noise.drift << ", spikes " << noise.spikes);
    CAPTURE(slow.failed, slow.unsure, same.passed, same.unsure);
    CHECK(slow.passed == 0);
    CHECK(slow.failed >= kTrials * 19 / 20);
    CHECK(same.failed == 0);
    CHECK(same.passed >= kTrials * 19 / 20);
  }
}

TEST_CASE("repeats are judged by the differences between runs, which their steps do not show") {
  // Each run has a pace of its own, within 3 %, with hardly any noise within it.
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int wrong_alone = 0;
  int wrong_repeated = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Pace> ours;
    std::vector<Pace> theirs;
    for (int i = 0; i < 3; ++i) {
      ours.push_back({6400, 0.001, 300, 1e7 * std::exp(0.03 * normal(random)), 15});
      theirs.push_back({6400, 0.001, 300, 1e7 * std::exp(0.03 * normal(random)), 15});
    }
    const auto fails = [](const Slowdown& one) { return one.verdict == LimitVerdict::kFail; };
    if (fails(slowdown({ours.data(), 1}, {theirs.data(), 1}, 0))) ++wrong_alone;
    if (fails(slowdown(ours, theirs, 0))) ++wrong_repeated;
  }
  CHECK(wrong_alone > kTrials / 4);
  CHECK(wrong_repeated <= kMostWrong);
}

TEST_CASE("a result hidden by noise says how many times as many steps would decide") {
  const std::vector<Pace> base{{6400, 0.02, 300, 1e7, 1000}};
  const std::vector<Pace> run{{6400, 0.02, 300, 1.03e7, 1000}};
  const Slowdown found = slowdown(run, base, 0.05);
  CHECK(found.verdict == LimitVerdict::kTooNoisy);
  CHECK(found.slower.value == Approx(0.03));
  CHECK_FALSE(found.of_repeats);
  // The interval is 1.96 x 0.0283 = 0.0554 on either side, and 0.0192 from the limit.
  CHECK(found.times_as_many == Approx(std::pow(0.0555 / 0.01923, 2)).epsilon(0.01));
  const std::vector<Pace> at{{6400, 0.02, 300, 1.05e7, 1000}};
  CHECK(slowdown(at, base, 0.05).times_as_many == 0);
}

TEST_CASE("a step of other work is named with both values, but other settings are not") {
  messages::RunSpec spec;
  spec.devices.world_size = 2;
  messages::RunSpec other = spec;
  other.batch.size = spec.batch.size * 2;
  other.train.precision = "bf16";
  other.data.workers = spec.data.workers + 1;
  other.name = "another";
  const auto work = other_step_work(MadeRun(spec).model(), MadeRun(other).model());
  REQUIRE(work.size() == 1);
  CHECK(work[0] == "batch.size 64 against 128");
  const auto rest = other_settings_of(MadeRun(spec).model(), MadeRun(other).model());
  REQUIRE(rest.size() == 2);
  CHECK(rest[0].starts_with("data.workers "));
  CHECK(rest[1].starts_with("train.precision "));
  CHECK(other_step_work(MadeRun(spec).model(), MadeRun(spec).model()).empty());
  CHECK(other_step_work(MadeRun(2).model(), MadeRun(4).model()).size() == 1);
}

TEST_CASE("a script with another number of samples per step does other work") {
  messages::RunSpec spec;
  spec.devices.world_size = 1;
  spec.program.argv = {"python3", "train.py"};
  const auto of = [&](std::int32_t samples) {
    MadeRun run(spec);
    for (Step step = 0; step < 60; ++step)
      run.step(0, step, 1000 + 10 * static_cast<double>(step), {0, 0, 3, 3, 0, 0, 10}, samples);
    return run;
  };
  const MadeRun small = of(32);
  const MadeRun large = of(64);
  CHECK(other_step_work(small.model(), of(32).model()).empty());
  REQUIRE(other_step_work(small.model(), large.model()).size() == 1);
  CHECK(other_step_work(small.model(), large.model())[0] == "32 samples in a step against 64");
}

TEST_CASE("a run of few steps has no pace") {
  CHECK_FALSE(pace_of(noisy_run(1, 10, kQuiet, 9).model()));
  CHECK(pace_of(noisy_run(1, 10, kQuiet, 60).model()));
}
