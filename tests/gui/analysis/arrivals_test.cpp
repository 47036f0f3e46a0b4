#include "gui/analysis/arrivals.h"

#include <cmath>

#include "gui/analysis/step_parts.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

using namespace ringside;
using namespace ringside::analysis;
using support::MadeRun;

namespace {

/// A run with `steps` steps of 100 ms; rank `late` is ready `late_ms` after the others in the steps
/// for which `is_late` is true.
template <class IsLate>
MadeRun steps_with(Rank ranks, Step steps, Rank late, double late_ms, IsLate&& is_late,
                   double data_ms = 0) {
  MadeRun run(ranks);
  for (Step step = 0; step < steps; ++step) {
    const double begin = 100.0 * static_cast<double>(step);
    for (Rank rank = 0; rank < ranks; ++rank) {
      const double extra = rank == late && is_late(step) ? late_ms : 0;
      run.bucket(rank, step, 0, begin + 80 + extra, begin + 95);
      run.step(rank, step, begin + 100,
               {extra > 0 ? data_ms : 0, 0, 30, 50 + extra - (extra > 0 ? data_ms : 0), 15 - extra,
                5, 100});
    }
  }
  return run;
}

const auto kAlways = [](Step) { return true; };

}  // namespace

TEST_CASE("The last to arrive is found for each step, with its lateness behind the one before it") {
  MadeRun run(3);
  run.bucket(0, 0, 0, 10, 30);
  run.bucket(1, 0, 0, 14, 30);
  run.bucket(2, 0, 0, 20, 30);
  for (Rank rank = 0; rank < 3; ++rank) run.step(rank, 0, 40, {0, 0, 0, 1, 1, 0, 40});
  const auto last = last_arrival(run.model(), 0);
  REQUIRE(last.has_value());
  CHECK(last->last == 2);
  CHECK(last->late_ns == 6'000'000);
  CHECK_FALSE(last_arrival(run.model(), 1).has_value());
}

TEST_CASE("Shares and waits are as computed by hand") {
  // In 4 steps rank 1 is last twice, by 8 and 4 ms, rank 0 once, by 2 ms, and one is a tie.
  MadeRun run(2);
  const double ready[4][2] = {{10, 18}, {10, 14}, {12, 10}, {10, 10}};
  for (Step step = 0; step < 4; ++step) {
    for (Rank rank = 0; rank < 2; ++rank) {
      run.bucket(rank, step, 0, 100.0 * static_cast<double>(step) + ready[step][rank],
                 100.0 * static_cast<double>(step) + 50);
      run.step(rank, step, 100.0 * static_cast<double>(step + 1), {0, 0, 0, 1, 1, 0, 100});
    }
  }
  const ArrivalClock clock = arrival_clock(run.model(), {0, 4});
  REQUIRE(clock.ranks.size() == 2);
  CHECK(clock.compared == 4);
  CHECK(clock.undecided == 1);
  CHECK(clock.ranks[1].times_last == 2);
  CHECK(clock.ranks[1].share == Approx(2.0 / 3));
  CHECK(clock.ranks[1].mean_late_ns == Approx(6e6));
  CHECK(clock.ranks[0].times_last == 1);
  CHECK(clock.ranks[0].mean_late_ns == Approx(2e6));
  CHECK(clock.ranks[0].mean_wait_ns == Approx(12e6 / 4));
  CHECK(clock.ranks[1].mean_wait_ns == Approx(2e6 / 4));
  CHECK(arrival_clock(run.model(), {1, 2}).ranks[1].mean_late_ns == Approx(4e6));
}

TEST_CASE("A rank that is always late while loading data is named with its reason") {
  const MadeRun run = steps_with(4, 100, 2, 6, kAlways, 6);
  const auto late = straggler(run.model(), arrival_clock(run.model(), {0, 100}));
  REQUIRE(late.has_value());
  CHECK(late->rank == 2);
  CHECK(late->share == 1.0);
  CHECK(late->steps == 100);
  CHECK(late->late_ns == Approx(6e6));
  CHECK(late->cause == Cause::kLoadingData);
  CHECK(late->others_wait_ns == Approx(6e6));
  CHECK(late->cost_ns == Approx(6e6));
  CHECK(late->excess_ns == Approx(6e6));
}

TEST_CASE("The phase with the extra time is the cause") {
  const MadeRun run = steps_with(3, 60, 0, 8, kAlways, 0);
  const auto late = straggler(run.model(), arrival_clock(run.model(), {0, 60}));
  REQUIRE(late.has_value());
  CHECK(late->cause == Cause::kBackward);
}

TEST_CASE("Nobody is named for what chance explains") {
  SECTION("each of two ranks is last every second time") {
    MadeRun run(2);
    for (Step step = 0; step < 200; ++step) {
      for (Rank rank = 0; rank < 2; ++rank) {
        const double begin = 100.0 * static_cast<double>(step);
        run.bucket(rank, step, 0, begin + 50 + (step % 2 == rank ? 10 : 0), begin + 70);
        run.step(rank, step, begin + 100, {0, 0, 0, 50, 20, 0, 100});
      }
    }
    CHECK_FALSE(straggler(run.model(), arrival_clock(run.model(), {0, 200})).has_value());
  }
  SECTION("last in four of ten steps only") {
    const MadeRun run = steps_with(4, 100, 1, 6, [](Step step) { return step % 10 < 4; });
    CHECK_FALSE(straggler(run.model(), arrival_clock(run.model(), {0, 100})).has_value());
  }
  SECTION("late by less than 2 % of the step") {
    const MadeRun run = steps_with(4, 100, 1, 1.5, kAlways);
    CHECK_FALSE(straggler(run.model(), arrival_clock(run.model(), {0, 100})).has_value());
  }
  SECTION("too few steps") {
    const MadeRun run = steps_with(4, 19, 1, 9, kAlways);
    CHECK_FALSE(straggler(run.model(), arrival_clock(run.model(), {0, 19})).has_value());
  }
}

TEST_CASE("R17: A rank on another node is named only beyond the clock uncertainty") {
  const auto make = [](double late_ms, bool synced) {
    MadeRun run(2);
    run.put_on_node(1, 1);
    messages::RankHello hello;
    hello.world_size = 2;
    run.say(1, 0, hello);
    if (synced)
      run.model().accept({0, kNoRank, 0, MadeRun::kStart}, messages::ClockSync{1, 0, 4'000'000});
    for (Step step = 0; step < 60; ++step) {
      for (Rank rank = 0; rank < 2; ++rank) {
        const double begin = 100.0 * static_cast<double>(step);
        run.bucket(rank, step, 0, begin + 50 + (rank == 1 ? late_ms : 0), begin + 70);
        run.step(rank, step, begin + 100, {0, 0, 0, 50, 20, 0, 100});
      }
    }
    return run;
  };
  const MadeRun clear = make(9, true);
  CHECK(straggler(clear.model(), arrival_clock(clear.model(), {0, 60})).has_value());
  const MadeRun close = make(3, true);
  const ArrivalClock clock = arrival_clock(close.model(), {0, 60});
  CHECK(clock.uncertainty_ns >= 4'000'000);
  CHECK(clock.uncertainty_ns < 4'400'000);  // the comparison is 6 s old
  CHECK(clock.undecided == 60);
  CHECK_FALSE(straggler(close.model(), clock).has_value());
  const MadeRun unsynced = make(9, false);
  CHECK_FALSE(arrival_clock(unsynced.model(), {0, 60}).clocks_known);
  CHECK_FALSE(straggler(unsynced.model(), arrival_clock(unsynced.model(), {0, 60})).has_value());
}

TEST_CASE("Two nodes' clocks that are too uncertain give no wait, and on one node it stays exact") {
  // Ranks 0 and 1 are on node 0, ranks 2 and 3 on node 1, whose reported clock is wrong by 0.8 ms,
  // +-1 ms.
  MadeRun run(4);
  for (const Rank rank : {2, 3}) {
    run.put_on_node(rank, 1);
    messages::RankHello hello;
    hello.world_size = 4;
    run.say(rank, 0, hello);
  }
  run.model().accept({0, kNoRank, 0, MadeRun::kStart}, messages::ClockSync{1, -800'000, 1'000'000});
  constexpr double kReady[] = {5, 5.1, 5, 5.1};
  for (Step step = 0; step < 40; ++step) {
    const double begin = 10.0 * static_cast<double>(step);
    for (Rank rank = 0; rank < 4; ++rank) {
      run.bucket(rank, step, 0, begin + kReady[rank], begin + 9);
      run.step(rank, step, begin + 10, {0, 0, 2, kReady[rank] - 2, 9 - kReady[rank], 1, 10});
    }
  }
  const ArrivalClock clock = arrival_clock(run.model(), {0, 40});
  CHECK(clock.undecided == 40);
  CHECK(clock.ranks[0].mean_wait_ns == Approx(100'000));
  CHECK(clock.ranks[1].mean_wait_ns == 0);
  CHECK(clock.ranks[2].mean_wait_ns == Approx(100'000));
  CHECK(clock.ranks[3].mean_wait_ns == 0);
  const auto parts = step_parts(run.model(), StepRange{0, 40});
  for (const StepParts& rank : parts) {
    const double waited = rank.rank % 2 == 0 ? 100'000 : 0;
    CHECK(rank.mean_ns(Part::kWaitSlowest) == Approx(waited));
    CHECK(rank.mean_ns(Part::kAllReduce) == Approx(3'900'000));
    std::int64_t sum = 0;
    for (const std::int64_t ns : rank.total_ns) sum += ns;
    CHECK(sum == rank.step_ns);
  }
}

TEST_CASE("Ranks of one node keep their order if their clock is compared between their reports") {
  MadeRun run(3);
  for (const Rank rank : {1, 2}) {
    run.put_on_node(rank, 1);
    messages::RankHello hello;
    hello.world_size = 3;
    run.say(rank, 0, hello);
  }
  const auto told = [&](std::int64_t offset_ns) {
    run.model().accept({0, kNoRank, 0, MadeRun::kStart},
                       messages::ClockSync{1, offset_ns, 20'000'000});
  };
  told(0);
  run.bucket(0, 0, 0, 5, 9);
  run.bucket(1, 0, 0, 5, 9);
  told(2'000'000);
  run.bucket(2, 0, 0, 6, 9);
  const ArrivalClock clock = arrival_clock(run.model(), {0, 1});
  REQUIRE(clock.compared == 1);
  CHECK(clock.ranks[1].mean_wait_ns == Approx(1e6));
  CHECK(clock.ranks[2].mean_wait_ns == 0);
}

TEST_CASE("Equal ranks whose clocks drift by almost 50 ppm are never told apart") {
  // The age of a comparison is measured with a drifting clock, too: 50 ppm of 50 ppm.
  for (const std::int64_t ppm : {-49, 49}) {
    MadeRun run(2);
    run.put_on_node(1, 1);
    messages::RankHello hello;
    hello.world_size = 2;
    run.say(1, 0, hello);
    constexpr Step kSteps = 12'000;  // of 10 ms each: two minutes
    for (Step step = 0; step < kSteps; ++step) {
      const double begin = 10.0 * static_cast<double>(step);
      const std::int64_t ahead_ns = step * 10 * ppm;  // at the begin of the step
      if (step % 6000 == 0) {
        run.model().accept({0, kNoRank, 0, MadeRun::kStart + MadeRun::ns(begin)},
                           messages::ClockSync{1, ahead_ns + (ppm < 0 ? 50'000 : -50'000), 50'001});
      }
      run.bucket(0, step, 0, begin + 5, begin + 9);
      run.bucket(1, step, 0, begin + 5 + static_cast<double>(ahead_ns + 5 * ppm) / 1e6, begin + 9);
    }
    const ArrivalClock clock = arrival_clock(run.model(), {0, kSteps});
    CHECK(clock.compared == kSteps);
    CHECK(clock.undecided == kSteps);
    CHECK(clock.ranks[0].mean_wait_ns == 0);
    CHECK(clock.ranks[1].mean_wait_ns == 0);
    CHECK(clock.uncertainty_ns >= 3'000'000);
  }
}

TEST_CASE("Ranks of one node are named only beyond the uncertainty of their devices' clocks") {
  const auto make = [](double late_ms) {
    MadeRun run = steps_with(2, 60, 1, late_ms, kAlways);
    run.say(0, 0, messages::ClockSync{0, 0, 1'000'000});
    run.say(1, 0, messages::ClockSync{0, 0, 3'000'000});
    return run;
  };
  const MadeRun clear = make(9);
  CHECK(straggler(clear.model(), arrival_clock(clear.model(), {0, 60})).has_value());
  const MadeRun close = make(3.5);
  const ArrivalClock clock = arrival_clock(close.model(), {0, 60});
  CHECK(clock.uncertainty_ns >= 4'000'000);
  CHECK(clock.undecided == 60);
  CHECK(clock.ranks[1].times_last == 0);
  CHECK_FALSE(last_arrival(close.model(), 5).has_value());
  CHECK_FALSE(straggler(close.model(), clock).has_value());
}

TEST_CASE("Steps in which a rank did not report when it was ready are ignored") {
  MadeRun run(2);
  for (Step step = 0; step < 10; ++step) {
    run.bucket(0, step, 0, 100.0 * static_cast<double>(step) + 10,
               100.0 * static_cast<double>(step) + 30);
    if (step % 2 == 0)
      run.bucket(1, step, 0, 100.0 * static_cast<double>(step) + 20,
                 100.0 * static_cast<double>(step) + 30);
  }
  CHECK(arrival_clock(run.model(), {0, 10}).compared == 5);
}

TEST_CASE("A single rank, and ranks that have not all joined, have no arrivals") {
  MadeRun one(1);
  CHECK(arrival_clock(one.model(), {0, 10}).ranks.empty());
  CHECK_FALSE(straggler(one.model(), arrival_clock(one.model(), {0, 10})).has_value());
  messages::RunSpec spec;
  spec.devices.world_size = 4;
  model::RunModel three(spec);
  three.accept({0, 0, 0, 1}, messages::StepReport{});
  CHECK(arrival_clock(three, {0, 10}).ranks.empty());
}

TEST_CASE("The demo run's only straggler is rank 2") {
  model::RunModel model(support::demo_spec(support::demo_run()));
  support::play_demo(support::demo_run(), model);
  const auto late = straggler(model, arrival_clock(model, recent_steps(model)));
  REQUIRE(late.has_value());
  CHECK(late->rank == 2);
  CHECK(late->cause == Cause::kLoadingData);
  CHECK(late->share == Approx(0.83).margin(0.07));
  support::DemoOptions even = support::demo_run();
  even.late_rank = kNoRank;
  model::RunModel quiet(support::demo_spec(even));
  support::play_demo(even, quiet);
  CHECK_FALSE(straggler(quiet, arrival_clock(quiet, recent_steps(quiet))).has_value());
}

TEST_CASE("Figures of the newest steps are recomputed after each record, and otherwise cached") {
  MadeRun run = steps_with(3, 60, 1, 8, kAlways, 8);
  const auto finds = [&](const model::RunModel& model) {
    const StepRange range = recent_steps(model);
    const ArrivalClock clock = arrival_clock(model, range);
    const ArrivalClock& kept = recent_arrivals(model);
    CHECK(kept.range == clock.range);
    CHECK(kept.compared == clock.compared);
    REQUIRE(kept.ranks.size() == clock.ranks.size());
    for (std::size_t i = 0; i < kept.ranks.size(); ++i) {
      CHECK(kept.ranks[i].times_last == clock.ranks[i].times_last);
      CHECK(kept.ranks[i].mean_wait_ns == clock.ranks[i].mean_wait_ns);
    }
    CHECK(recent_straggler(model).has_value() == straggler(model, clock).has_value());
    const auto parts = step_parts(model, range);
    const auto& kept_parts = recent_step_parts(model);
    REQUIRE(kept_parts.size() == parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
      CHECK(kept_parts[i].total_ns == parts[i].total_ns);
    CHECK(&recent_arrivals(model) == &kept);  // cached
  };
  finds(run.model());
  REQUIRE(recent_straggler(run.model()).has_value());
  // After 200 more steps in which nobody is late, each record changes the result at once.
  for (Step step = 60; step < 260; ++step) {
    const double begin = 100.0 * static_cast<double>(step);
    for (Rank rank = 0; rank < 3; ++rank) {
      run.bucket(rank, step, 0, begin + 80, begin + 95);
      run.step(rank, step, begin + 100, {0, 0, 30, 50, 15, 5, 100});
      if (step < 63) finds(run.model());
    }
  }
  finds(run.model());
  CHECK_FALSE(recent_straggler(run.model()).has_value());
  // Two models do not share their caches.
  const MadeRun other = steps_with(3, 60, 2, 8, kAlways, 8);
  REQUIRE(recent_straggler(other.model()).has_value());
  CHECK(recent_straggler(other.model())->rank == 2);
  CHECK_FALSE(recent_straggler(run.model()).has_value());
}
