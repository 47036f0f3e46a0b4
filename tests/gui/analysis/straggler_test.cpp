// The straggler rule, checked with random runs: jitter that is correlated between steps, spikes,
// hosts without an idle core, clocks of several nodes.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "gui/analysis/arrivals.h"
#include "gui/model/rank_model.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using support::MadeRun;

namespace {

constexpr Step kSteps = 120;  // in a run of 140, without its warm-up
constexpr double kForwardMs = 1.2;
constexpr double kBackwardMs = 2.5;

/// The logarithm of a phase's duration over the steps: normal and autocorrelated.
class Jitter {
 public:
  Jitter(std::mt19937& dice, double spread, double memory)
      : dice_(dice), spread_(spread), memory_(memory), now_(normal_(dice)) {}
  double factor() {
    now_ = memory_ * now_ + std::sqrt(1 - memory_ * memory_) * normal_(dice_);
    return std::exp(spread_ * now_);
  }

 private:
  std::mt19937& dice_;
  double spread_;
  double memory_;
  std::normal_distribution<double> normal_;
  double now_;
};

struct Phases {
  double forward = kForwardMs;
  double backward = kBackwardMs;
};
/// Changes a rank's phases in a step, beyond its jitter.
using PhaseChange = std::function<void(Rank, Step, Phases&)>;

struct Wish {
  Rank ranks = 2;
  Rank per_node = 64;
  double spread = 0.3;
  double memory = 0.5;
  double cpu_pct = -1;          ///< of the host; negative: not reported
  std::int64_t clocks_ns = -1;  ///< uncertainty of the nodes' clocks; negative: not reported
};

MadeRun made(unsigned seed, const Wish& wish, const PhaseChange& change) {
  MadeRun run(wish.ranks);
  std::mt19937 dice(seed);
  std::vector<std::array<Jitter, 2>> jitter;
  for (Rank rank = 0; rank < wish.ranks; ++rank) {
    if (rank >= wish.per_node) {
      run.put_on_node(rank, rank / wish.per_node);
      messages::RankHello hello;
      hello.world_size = wish.ranks;
      run.say(rank, 0, hello);
    }
    const Jitter forward(dice, wish.spread, wish.memory);
    const Jitter backward(dice, wish.spread, wish.memory);
    jitter.push_back({forward, backward});
  }
  double begin = 0;
  for (Step step = 0; step < kSteps; ++step) {
    std::vector<Phases> phases(static_cast<std::size_t>(wish.ranks));
    if (wish.clocks_ns >= 0 && step % 20 == 0) {
      for (Node node = 1; node < wish.ranks / wish.per_node; ++node)
        run.model().accept({0, kNoRank, 0, MadeRun::kStart + MadeRun::ns(begin)},
                           messages::ClockSync{node, 0, wish.clocks_ns});
    }
    double last = 0;
    for (Rank rank = 0; rank < wish.ranks; ++rank) {
      auto& mine = phases[static_cast<std::size_t>(rank)];
      auto& dices = jitter[static_cast<std::size_t>(rank)];
      mine.forward *= dices[0].factor();
      mine.backward *= dices[1].factor();
      change(rank, step, mine);
      last = std::max(last, mine.forward + mine.backward);
    }
    for (Rank rank = 0; rank < wish.ranks; ++rank) {
      const auto& mine = phases[static_cast<std::size_t>(rank)];
      const double own = mine.forward + mine.backward;
      run.bucket(rank, step, 0, begin + own, begin + last + 1);
      run.step(rank, step, begin + last + 1.1,
               {0.01, 0, mine.forward, mine.backward, last + 1 - own, 0.1, last + 1.1});
    }
    if (wish.cpu_pct >= 0 && step % 40 == 20) {
      messages::HostSample host;
      host.cpu_pct = static_cast<float>(wish.cpu_pct);
      host.cpus = 2;
      run.say(kNoRank, begin, host);
    }
    begin += last + 1.1;
  }
  return run;
}

std::optional<Straggler> named(const MadeRun& run) {
  return straggler(run.model(), arrival_clock(run.model(), {0, kSteps}));
}

/// Jitter as measured in the trials: the distance of a rank's ready time from the mean of all
/// ranks.
double jitter_ms(const MadeRun& run) {
  double squares = 0;
  for (Step step = 0; step < kSteps; ++step) {
    const auto place = static_cast<std::size_t>(step);
    const double apart = static_cast<double>(run.model().rank(1)->last_ready_ns.at(place) -
                                             run.model().rank(0)->last_ready_ns.at(place));
    squares += apart * apart / 4e12;
  }
  return std::sqrt(squares / static_cast<double>(kSteps));
}

const PhaseChange kNothing = [](Rank, Step, Phases&) {};

PhaseChange delay(Rank rank, double ms) {
  return [rank, ms](Rank one, Step, Phases& phases) {
    if (one == rank) phases.backward += ms;
  };
}

}  // namespace

TEST_CASE("Of 500 clean runs of two ranks, with correlated jitter, at most one names a rank") {
  const double cpu_pct = GENERATE(-1.0, 100.0);
  int wrong = 0;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    Wish wish;
    wish.memory = 0.1 * (seed % 7);  // up to the largest measured value: 0.6 of the step before
    wish.cpu_pct = cpu_pct;
    wrong += named(made(seed, wish, kNothing)).has_value() ? 1 : 0;
  }
  INFO(cpu_pct);
  CHECK(wrong <= 1);
}

TEST_CASE("A delay of twice the jitter is named in 99 of 100 runs, and never another rank") {
  int right = 0;
  constexpr int kRuns = 200;
  for (unsigned seed = 1; seed <= kRuns; ++seed) {
    Wish wish;
    wish.memory = 0.1 * (seed % 4);
    const double jitter = jitter_ms(made(seed, wish, kNothing));
    const Rank late = static_cast<Rank>(seed % 2);
    const auto found = named(made(seed + 1000, wish, delay(late, 2 * jitter)));
    if (!found) continue;
    CHECK(found->rank == late);
    CHECK(found->cause == Cause::kBackward);
    ++right;
  }
  CHECK(right >= kRuns * 99 / 100);
}

TEST_CASE("Spikes of one rank do not name it, but a delay in most steps does") {
  const auto every = [](Step share_of_ten) {
    return made(1, Wish{.spread = 0.05}, [share_of_ten](Rank rank, Step step, Phases& phases) {
      if (rank == 1 && step * 7 % 10 < share_of_ten) phases.backward += 20;
    });
  };
  CHECK_FALSE(named(every(3)).has_value());
  REQUIRE(named(every(8)).has_value());
  CHECK(named(every(8))->rank == 1);
}

TEST_CASE("A rank that is late in half of a run is not named") {
  const auto run = made(1, Wish{.spread = 0.05}, [](Rank rank, Step step, Phases& phases) {
    if (rank == 1 && step < kSteps / 2) phases.backward += 20;
  });
  CHECK_FALSE(named(run).has_value());
}

TEST_CASE("If no core is idle, a rank that shares its core is not named") {
  const Wish full{.spread = 0.1, .cpu_pct = 100};
  const Wish free{.spread = 0.1, .cpu_pct = 60};
  SECTION("all its computations take half as long again") {
    const PhaseChange slowed = [](Rank rank, Step, Phases& phases) {
      if (rank == 0) phases = {phases.forward * 1.5, phases.backward * 1.5};
    };
    CHECK_FALSE(named(made(3, full, slowed)).has_value());
    REQUIRE(named(made(3, free, slowed)).has_value());
    CHECK(named(made(3, free, slowed))->rank == 0);
  }
  SECTION("it waits for its core in two of three steps") {
    const PhaseChange waits = [](Rank rank, Step step, Phases& phases) {
      if (rank == 0 && step % 3 != 0) phases.backward += 8;
    };
    CHECK_FALSE(named(made(3, full, waits)).has_value());
  }
  SECTION("a delay in one phase of every step is its own") {
    const auto found = named(made(3, full, delay(0, 2)));
    REQUIRE(found.has_value());
    CHECK(found->rank == 0);
    CHECK(found->cause == Cause::kBackward);
  }
}

TEST_CASE("R17: Of 64 ranks on 8 nodes none is named below the uncertainty of the clocks") {
  Wish wish{.ranks = 64, .per_node = 8, .spread = 0.02};
  const auto with_clocks = [&wish](double late_ms, std::int64_t uncertainty_ns) {
    wish.clocks_ns = uncertainty_ns;
    return made(5, wish, delay(42, late_ms));
  };
  CHECK_FALSE(named(with_clocks(3, 2'000'000)).has_value());
  CHECK_FALSE(named(with_clocks(0, 1000)).has_value());
  const auto found = named(with_clocks(9, 2'000'000));
  REQUIRE(found.has_value());
  CHECK(found->rank == 42);
  CHECK(found->cause == Cause::kBackward);
}
