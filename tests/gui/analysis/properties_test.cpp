// Figures of random runs compared with a simple computation of the same.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gui/analysis/arrivals.h"
#include "gui/analysis/progress.h"
#include "gui/analysis/step_parts.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using support::MadeRun;

namespace {

/// A random run with the numbers it was made from; NaN for reports that were left out.
struct RandomRun {
  Rank ranks;
  Step steps;
  MadeRun run;
  std::vector<std::vector<double>> ready_ms;  ///< by step, rank
  std::vector<std::vector<double>> step_ms;
  std::vector<std::vector<int>> samples;
  std::vector<double> end_ms;

  RandomRun(unsigned seed, Rank rank_count, Step step_count, double missing)
      : ranks(rank_count), steps(step_count), run(rank_count, 10, 100) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0, 1);
    double now = 1000;
    for (Step step = 0; step < steps; ++step) {
      auto& ready = ready_ms.emplace_back();
      auto& whole = step_ms.emplace_back();
      auto& took = samples.emplace_back();
      for (Rank rank = 0; rank < ranks; ++rank) {
        const bool silent = share(random) < missing;
        ready.push_back(silent ? std::nan("") : std::floor(now + 1 + 50 * share(random)));
        whole.push_back(std::floor(60 + 40 * share(random)));
        took.push_back(1 + static_cast<int>(random() % 32));
        if (!silent) run.bucket(rank, step, 0, ready.back(), now + 70);
      }
      now += 100;
      end_ms.push_back(now);
      for (Rank rank = 0; rank < ranks; ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        run.step(rank, step, now, {1, 1, 10, 20, 20, 5, whole[at]}, took[at]);
      }
    }
  }
};

}  // namespace

TEST_CASE("Arrivals agree with a simple count") {
  const auto seed = GENERATE(range(1U, 9U));
  const RandomRun made(seed, 2 + static_cast<Rank>(seed % 5), 120, 0.02);
  std::vector<int> last(static_cast<std::size_t>(made.ranks), 0);
  std::vector<double> late(static_cast<std::size_t>(made.ranks), 0);
  std::vector<double> wait(static_cast<std::size_t>(made.ranks), 0);
  int compared = 0;
  int decided = 0;
  for (const auto& ready : made.ready_ms) {
    if (std::any_of(ready.begin(), ready.end(), [](double at) { return std::isnan(at); })) continue;
    ++compared;
    std::vector<double> sorted(ready);
    std::sort(sorted.rbegin(), sorted.rend());
    for (std::size_t rank = 0; rank < ready.size(); ++rank) wait[rank] += sorted[0] - ready[rank];
    if (sorted[0] == sorted[1]) continue;
    ++decided;
    const auto who = std::max_element(ready.begin(), ready.end()) - ready.begin();
    ++last[static_cast<std::size_t>(who)];
    late[static_cast<std::size_t>(who)] += sorted[0] - sorted[1];
  }
  const ArrivalClock clock = arrival_clock(made.run.model(), {0, made.steps});
  REQUIRE(clock.compared == compared);
  REQUIRE(clock.compared - clock.undecided == decided);
  double shares = 0;
  for (std::size_t rank = 0; rank < last.size(); ++rank) {
    CHECK(clock.ranks[rank].times_last == last[rank]);
    CHECK(clock.ranks[rank].mean_wait_ns == Approx(wait[rank] / compared * 1e6));
    if (last[rank] > 0) {
      CHECK(clock.ranks[rank].mean_late_ns == Approx(late[rank] / last[rank] * 1e6));
    }
    shares += clock.ranks[rank].share;
  }
  CHECK(shares == Approx(1.0));
}

TEST_CASE("Ranks that are equally fast are never named, for any random seed") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const RandomRun made(seed, 4, 200, 0);
    CHECK_FALSE(straggler(made.run.model(), arrival_clock(made.run.model(), {0, 200})).has_value());
  }
}

TEST_CASE("Throughput and percentiles agree with a simple computation") {
  const auto seed = GENERATE(range(1U, 6U));
  const RandomRun made(seed, 3, 90, 0);
  const StepRange range{10, 77};
  double total = 0;
  for (Rank rank = 0; rank < made.ranks; ++rank) {
    double samples = 0;
    double ms = 0;
    std::vector<double> sorted;
    for (Step step = range.begin; step < range.end; ++step) {
      const auto s = static_cast<std::size_t>(step);
      const auto r = static_cast<std::size_t>(rank);
      samples += made.samples[s][r];
      ms += made.step_ms[s][r];
      sorted.push_back(made.step_ms[s][r]);
    }
    total += samples / ms * 1e3;
    std::sort(sorted.begin(), sorted.end());
    const StepTimeFigures found = step_times(made.run.model(), rank, range);
    CHECK(found.p50_ns == Approx(sorted[(sorted.size() + 1) / 2 - 1] * 1e6));
    CHECK(found.p95_ns == Approx(sorted[static_cast<std::size_t>(std::ceil(0.95 * 67)) - 1] * 1e6));
    CHECK(found.mean_ns == Approx(ms / 67 * 1e6));
  }
  CHECK(throughput(made.run.model(), range).total_per_s == Approx(total));
}

TEST_CASE("The time to a number of samples agrees with a simple search") {
  // The run spans more than two of the blocks that are skipped at once.
  const RandomRun made(5, 3, 9'000, 0);
  const std::int64_t all = samples_trained(made.run.model());
  for (const double share : {0.0001, 0.2, 0.455, 0.456, 0.91, 1.0}) {
    const auto wanted = static_cast<double>(
        std::max<std::int64_t>(1, static_cast<std::int64_t>(share * static_cast<double>(all))));
    double done = 0;
    double expected = -1;
    const double began =
        1000 + 100 - *std::max_element(made.step_ms[0].begin(), made.step_ms[0].end());
    for (std::size_t step = 0; expected < 0; ++step) {
      double more = 0;
      for (const int count : made.samples[step]) more += count;
      if (done + more >= wanted) {
        const double before = step == 0 ? began : made.end_ms[step - 1];
        expected = (before - began + (wanted - done) / more * (made.end_ms[step] - before)) / 1e3;
      }
      done += more;
    }
    CHECK(*seconds_to_samples(made.run.model(), static_cast<std::int64_t>(wanted)) ==
          Approx(expected));
  }
}

TEST_CASE("Waiting and reducing never exceed what was exposed") {
  const auto seed = GENERATE(range(1U, 6U));
  const RandomRun made(seed, 4, 60, 0.1);
  for (const StepParts& parts : step_parts(made.run.model(), StepRange{0, made.steps})) {
    const auto total = [&](Part part) { return parts.total_ns[static_cast<std::size_t>(part)]; };
    CHECK(total(Part::kWaitSlowest) + total(Part::kAllReduce) + total(Part::kCommunication) ==
          20'000'000 * parts.steps);
    CHECK(total(Part::kForward) == 10'000'000 * parts.steps);
  }
}
