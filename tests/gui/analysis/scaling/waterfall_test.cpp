#include "gui/analysis/scaling/waterfall.h"

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"
#include "tests/support/demo_run.h"

using namespace ringside;
using namespace ringside::analysis;
using messages::Phase;
using support::MadeRun;

namespace {

constexpr std::int64_t kWaterfallMs = 1'000'000;

/// The sums that a run was made from, in ms; those of ranks are over all ranks.
struct Made {
  double path_data = 0;  ///< of the last rank in each step
  double path_work = 0;
  double all_work = 0;
  double transfer = 0, optimizer = 0, overhead = 0, evaluation = 0, checkpoint = 0, whole = 0;
};

/// Makes a run in whole ms in which all ranks begin each step together and nothing overlaps.
class Maker {
 public:
  Maker(unsigned seed, Rank ranks, Step steps_per_epoch, Epoch epochs)
      : random_(seed), run_(ranks, steps_per_epoch, epochs) {
    for (Epoch epoch = 0; epoch < epochs; ++epoch) {
      for (Step step = 0; step < steps_per_epoch; ++step) one_step(epoch * steps_per_epoch + step);
      end_epoch(epoch, steps_per_epoch);
    }
  }

  const model::RunModel& model() const { return run_.model(); }
  const Made& made() const { return made_; }

 private:
  double draw(int most) { return static_cast<double>(random_() % static_cast<unsigned>(most)); }

  void one_step(Step step) {
    std::vector<MadeRun::Parts> ranks;
    double last_own = -1;
    double last_data = 0;
    for (Rank rank = 0; rank < run_.ranks(); ++rank) {
      MadeRun::Parts parts;
      parts.data = draw(9);
      parts.copy = draw(3);
      parts.forward = 5 + draw(20);
      parts.backward = 10 + draw(40);
      ranks.push_back(parts);
      const double work = parts.copy + parts.forward + parts.backward;
      made_.all_work += work;
      if (parts.data + work <= last_own) continue;
      last_own = parts.data + work;
      last_data = parts.data;
    }
    const bool alone = run_.ranks() == 1;
    const double transfer = alone ? 0 : 1 + draw(12);
    const double optimizer = 1 + draw(4);
    const double rest = draw(3);
    const double begin = now_;
    now_ += last_own + transfer + optimizer + rest;
    for (Rank rank = 0; rank < run_.ranks(); ++rank) {
      auto& parts = ranks[static_cast<std::size_t>(rank)];
      const double own = parts.data + parts.copy + parts.forward + parts.backward;
      parts.exposed = alone ? -1 : last_own - own + transfer;
      parts.optimizer = optimizer;
      parts.step = now_ - begin;
      if (!alone) run_.bucket(rank, step, 0, begin + own, begin + last_own + transfer);
      run_.step(rank, step, now_, parts, 60 / run_.ranks());
    }
    made_.path_data += last_data;
    made_.path_work += last_own - last_data;
    made_.transfer += transfer;
    made_.optimizer += optimizer;
    made_.overhead += rest;
  }

  void end_epoch(Epoch epoch, Step steps) {
    now_ += draw(7);  // not measured by any phase
    for (Rank rank = 0; rank < run_.ranks(); ++rank)
      run_.pass(rank, Phase::kTrain, epoch, now_, 1, 60 / run_.ranks() * steps);
    const double evaluation = 10 + draw(50);
    now_ += evaluation;
    for (Rank rank = 0; rank < run_.ranks(); ++rank) {
      // Ranks that finish earlier wait for the slowest.
      const double took = rank == 0 ? evaluation : evaluation / 2;
      run_.pass(rank, Phase::kValidate, epoch, now_, 1, 10, 0, took / 1e3);
    }
    const double saving = 5 + draw(20);
    now_ += saving + draw(5);
    messages::Checkpoint saved;
    saved.epoch = epoch;
    saved.step = steps * (epoch + 1);
    saved.seconds = saving / 1e3;
    run_.say(0, now_, saved);
    made_.evaluation += evaluation;
    made_.checkpoint += saving;
    made_.whole = now_ - 1000;
  }

  std::mt19937 random_;
  MadeRun run_;
  Made made_;
  double now_ = 1000;
};

std::int64_t ns(double ms) { return std::llround(ms * 1e6); }

std::int64_t sum_of_losses(const Waterfall& all) {
  return std::accumulate(
      all.parts.begin(), all.parts.end(), std::int64_t{0},
      [](std::int64_t sum, const LostTime& part) { return sum + part.lost_ns(); });
}

void check_that_it_adds_up(const Waterfall& all) {
  REQUIRE(all.given());
  CHECK(all.run_ns == std::llround(all.speedup.run_s * 1e9));
  CHECK(all.baseline_ns == std::llround(all.speedup.baseline_s * 1e9));
  CHECK(sum_of_losses(all) == all.run_ns - all.ideal_ns);
  double x = 0;
  for (const LostTime& part : all.parts) x += part.x;
  CHECK(all.ideal - x == Approx(all.speedup.speedup).epsilon(1e-7));
}

}  // namespace

TEST_CASE("The waterfall adds up exactly, with each part as made") {
  const auto seed = GENERATE(range(1U, 25U));
  const Rank ranks = 2 + static_cast<Rank>(seed % 4);
  const Step steps = 3 + static_cast<Step>(seed % 30);
  const Maker baseline(seed + 100, 1, steps, 3);
  const Maker run(seed, ranks, steps, 3);
  const Waterfall all = waterfall(run.model(), &baseline.model(), true);
  check_that_it_adds_up(all);
  const Made& ours = run.made();
  const Made& theirs = baseline.made();
  CHECK(all.run_ns == ns(ours.whole));
  CHECK(all.baseline_ns == ns(theirs.whole));
  const auto check = [&](Loss loss, double run_ms, double baseline_ms) {
    INFO(name_of(loss));
    CHECK(all.part(loss).measured);
    CHECK(std::abs(all.part(loss).run_ns - ns(run_ms)) <= 1);
    CHECK(std::abs(all.part(loss).ideal_ns - ns(baseline_ms / ranks)) <= 1);
  };
  check(Loss::kDataWait, ours.path_data, theirs.path_data);
  check(Loss::kImbalance, ours.path_work - ours.all_work / ranks, 0);
  check(Loss::kTransfer, ours.transfer, 0);
  check(Loss::kCompute, ours.all_work / ranks, theirs.all_work);
  check(Loss::kOptimizer, ours.optimizer, theirs.optimizer);
  const double data = std::max(0.0, ours.path_data - theirs.path_data / ranks);
  CHECK(all.without_waiting == Approx(theirs.whole / (ours.whole - data - ours.transfer -
                                                      ours.path_work + ours.all_work / ranks)));
  check(Loss::kOverhead, ours.overhead, theirs.overhead);
  check(Loss::kEvaluation, ours.evaluation, theirs.evaluation);
  check(Loss::kCheckpoint, ours.checkpoint, theirs.checkpoint);
  const auto rest = [](const Made& made) {
    return made.whole - made.path_data - made.path_work - made.transfer - made.optimizer -
           made.overhead - made.evaluation - made.checkpoint;
  };
  CHECK(std::abs(all.part(Loss::kNotMeasured).run_ns - ns(rest(ours))) <= 8);
  CHECK(std::abs(all.part(Loss::kNotMeasured).ideal_ns - ns(rest(theirs) / ranks)) <= 8);
  CHECK(all.part(Loss::kOptimizer).times == 3 * steps);
  CHECK(all.part(Loss::kEvaluation).times == 3);
  CHECK(all.part(Loss::kCheckpoint).times == 3);
}

TEST_CASE("The waterfall adds up for any claims in the records") {
  const auto seed = GENERATE(range(1U, 41U));
  std::mt19937 random(seed);
  const auto draw = [&](double most) {
    return most * static_cast<double>(random() % 100'000) / 100'000;
  };
  const auto nonsense = [&](Rank ranks) {
    MadeRun run(ranks, 10, 3);
    for (Step step = 0; step < 30; ++step) {
      for (Rank rank = 0; rank < ranks; ++rank) {
        if (rank > 0 && random() % 20 == 0) continue;
        const double end = 1000 + 50 * static_cast<double>(step) + draw(200);
        if (random() % 3 != 0) run.bucket(rank, step, 0, end - draw(100), end);
        const auto maybe = [&] { return random() % 5 == 0 ? -1 : draw(60); };
        run.step(rank, step, end, {maybe(), maybe(), maybe(), maybe(), maybe(), maybe(), draw(120)},
                 1 + static_cast<int>(random() % 9));
      }
      if (step % 10 != 9) continue;
      const double end = 1250 + 50 * static_cast<double>(step);
      for (Rank rank = 0; rank < ranks; ++rank) {
        const auto epoch = static_cast<Epoch>(step / 10);
        run.pass(rank, Phase::kTrain, epoch, end, 1, 10, 0, draw(9));
        run.pass(rank, Phase::kValidate, epoch, end + draw(40), 1, 10, 0, draw(9));
      }
    }
    return run;
  };
  const MadeRun baseline = nonsense(1 + static_cast<Rank>(seed % 2));
  const MadeRun run = nonsense(2 + static_cast<Rank>(seed % 5));
  const Waterfall all = waterfall(run.model(), &baseline.model(), seed % 2 == 0);
  if (all.given()) check_that_it_adds_up(all);
}

TEST_CASE("Within the first epoch the same samples are compared, the last step in part") {
  MadeRun baseline(1, 100, 2);
  for (Step step = 0; step < 10; ++step)
    baseline.step(0, step, 1100 + 100.0 * static_cast<double>(step), {10, 0, 30, 50, -1, 8, 100},
                  8);
  MadeRun run(2, 100, 2);
  for (Step step = 0; step < 5; ++step) {
    for (Rank rank = 0; rank < 2; ++rank) {
      const double end = 1060 + 60.0 * static_cast<double>(step);
      run.bucket(rank, step, 0, end - 20, end - 10);
      run.step(rank, step, end, {5, 0, 15, 20, 10, 8, 60}, 3);
    }
  }
  // The 30 samples are 5 steps of the run and 3.75 of the baseline.
  const Waterfall all = waterfall(run.model(), &baseline.model(), true);
  check_that_it_adds_up(all);
  CHECK(all.run_ns == 300 * kWaterfallMs);
  CHECK(all.baseline_ns == 375 * kWaterfallMs);
  CHECK(all.part(Loss::kCompute).run_ns == 5 * 35 * kWaterfallMs);
  CHECK(all.part(Loss::kCompute).ideal_ns == 150 * kWaterfallMs);
  CHECK(all.part(Loss::kTransfer).lost_ns() == 50 * kWaterfallMs);
  CHECK(all.part(Loss::kOverhead).run_ns == 10 * kWaterfallMs);
  CHECK(all.part(Loss::kNotMeasured).lost_ns() == 0);
}

TEST_CASE("The exchange of a one-device baseline with itself is not a gain of the run") {
  MadeRun baseline(1, 100, 2);
  for (Step step = 0; step < 10; ++step)
    baseline.step(0, step, 1100 + 100.0 * static_cast<double>(step), {10, 0, 30, 42, 8, 8, 100}, 8);
  MadeRun run(2, 100, 2);
  for (Step step = 0; step < 5; ++step) {
    for (Rank rank = 0; rank < 2; ++rank) {
      const double end = 1060 + 60.0 * static_cast<double>(step);
      run.bucket(rank, step, 0, end - 12, end - 10);
      run.step(rank, step, end, {5, 0, 15, 28, 2, 8, 60}, 3);
    }
  }
  const Waterfall all = waterfall(run.model(), &baseline.model(), true);
  check_that_it_adds_up(all);
  CHECK(all.part(Loss::kTransfer).lost_ns() == 5 * 2 * kWaterfallMs);
  CHECK(all.part(Loss::kOwnExchange).run_ns == 0);
  CHECK(all.part(Loss::kOwnExchange).ideal_ns == 15 * kWaterfallMs);  // 3.75 steps on each device
}

TEST_CASE("A part that became cheaper is a gain") {
  const Maker baseline(1, 1, 10, 2);
  const Maker run(2, 2, 10, 2);
  Waterfall all = waterfall(run.model(), &baseline.model(), true);
  CHECK(all.part(Loss::kEvaluation).lost_ns() ==
        all.part(Loss::kEvaluation).run_ns - all.part(Loss::kEvaluation).ideal_ns);
  // A run of two ranks has lost nothing compared with itself.
  all = waterfall(run.model(), &run.model(), true);
  for (const LostTime& part : all.parts) CHECK(part.lost_ns() == 0);
}

TEST_CASE("Time that a program does not measure is not hidden in another part") {
  MadeRun baseline(1, 5, 1);
  MadeRun run(2, 5, 1);
  for (Step step = 0; step < 5; ++step) {
    baseline.step(0, step, 1100 + 100.0 * static_cast<double>(step), {5, 0, 30, 50, -1, 8, 100}, 8);
    for (Rank rank = 0; rank < 2; ++rank)
      run.step(rank, step, 1070 + 70.0 * static_cast<double>(step), {5, -1, -1, -1, -1, -1, 70}, 4);
  }
  for (MadeRun* one : {&baseline, &run}) {
    for (Rank rank = 0; rank < one->ranks(); ++rank) {
      one->pass(rank, Phase::kTrain, 0, 1500, 1, 20);
      one->pass(rank, Phase::kValidate, 0, 1510, 1, 20, 0, 0.01);
    }
  }
  const Waterfall all = waterfall(run.model(), &baseline.model(), true);
  check_that_it_adds_up(all);
  for (const Loss loss :
       {Loss::kCompute, Loss::kOptimizer, Loss::kOverhead, Loss::kTransfer, Loss::kImbalance}) {
    CHECK_FALSE(all.part(loss).measured);
    CHECK(all.part(loss).run_ns == 0);
    CHECK(all.part(loss).ideal_ns == 0);
  }
  CHECK(all.part(Loss::kDataWait).run_ns == 25 * kWaterfallMs);
  CHECK(all.part(Loss::kNotMeasured).run_ns == (510 - 25 - 10) * kWaterfallMs);
}

TEST_CASE("Checkpoints in time that the clock leaves out do not count") {
  const auto play = [](bool resumed) {
    MadeRun run(1, 10, 1);
    double now = 1000;
    const auto steps = [&](Step begin, Step end) {
      for (Step step = begin; step < end; ++step)
        run.step(0, step, now += 100, {5, 0, 30, 50, -1, 8, 100}, 8);
    };
    const auto save = [&](Step step) {
      messages::Checkpoint saved;
      saved.step = step;
      saved.seconds = 0.02;
      run.say(0, now += 20, saved);
    };
    steps(0, 4);
    save(4);
    if (resumed) {
      steps(4, 8);
      save(8);
      messages::RankHello hello;
      hello.steps_per_epoch = 10;
      hello.epochs = 1;
      hello.attempt = 1;
      hello.first_step = 4;
      run.say(0, now += 5000, hello);
    }
    steps(4, 10);
    run.pass(0, Phase::kTrain, 0, now, 1, 80);
    run.pass(0, Phase::kValidate, 0, now += 50, 1, 80, 0, 0.05);
    return run;
  };
  const MadeRun straight = play(false);
  const MadeRun resumed = play(true);
  const auto spent = [](const MadeRun& run) {
    return spent_time(run.model(), *time_to_epoch(run.model(), 1));
  };
  const auto saving = static_cast<std::size_t>(Loss::kCheckpoint);
  const auto rest = static_cast<std::size_t>(Loss::kNotMeasured);
  CHECK(spent(straight).total_ns == 1070 * kWaterfallMs);
  CHECK(spent(straight).ns[saving] == 20 * kWaterfallMs);
  CHECK(spent(straight).times[saving] == 1);
  CHECK(spent(straight).ns[rest] == 0);
  // The clock stops at the last step that is kept: both checkpoints are outside.
  CHECK(spent(resumed).total_ns == 1050 * kWaterfallMs);
  CHECK(spent(resumed).ns[saving] == 0);
  CHECK(spent(resumed).times[saving] == 0);
  CHECK(spent(resumed).ns[rest] == 0);
}

TEST_CASE("Waiting for a rank that loads longer is data wait, and that rank is named") {
  const support::DemoOptions options = support::demo_run();
  model::RunModel run(support::demo_spec(options));
  support::play_demo(options, run);
  const support::DemoOptions one = support::demo_baseline();
  model::RunModel baseline(support::demo_spec(one));
  support::play_demo(one, baseline);
  const Waterfall all = waterfall(run, &baseline, false);
  check_that_it_adds_up(all);
  CHECK(all.speedup.epochs == 46);
  CHECK(all.steps == StepRange{0, 46 * 98});
  const LostTime& data = all.part(Loss::kDataWait);
  REQUIRE(data.slow);
  CHECK(data.slow->rank == 2);
  CHECK(data.slow->excess_ns == Approx(7.3e6 * 0.83).epsilon(0.03));
  // The wait is 7.3 ms in 83 % of the steps; its own 0.9 ms are a little more than a fourth of the
  // baseline's.
  CHECK(static_cast<double>(data.lost_ns()) == Approx(6.0e6 * 46 * 98).epsilon(0.1));
  CHECK(data.error_ns < 0.05 * static_cast<double>(data.lost_ns()));
  CHECK(all.part(Loss::kTransfer).lost_ns() == Approx(3.6e6 * 46 * 98).epsilon(0.01));
  CHECK(all.part(Loss::kCheckpoint).run_ns == Approx(0.31e9 * 46));
  CHECK(all.part(Loss::kNotMeasured).run_ns < all.run_ns / 1000);
  REQUIRE(all.late);
  CHECK(all.late->rank == 2);
}

TEST_CASE("Waits below the uncertainty of two nodes' clocks are transfer, not imbalance") {
  // The ranks are equal; the reported clock of node 1 is wrong by 0.8 ms, within its uncertainty of
  // 1 ms, or beyond that of 0.1 ms.
  const bool sure = GENERATE(false, true);
  MadeRun run(2, 20, 1);
  run.put_on_node(1, 1);
  messages::RankHello hello;
  hello.world_size = 2;
  hello.steps_per_epoch = 20;
  hello.epochs = 1;
  run.say(1, 0, hello);
  run.model().accept({0, kNoRank, 0, MadeRun::kStart},
                     messages::ClockSync{1, -800'000, sure ? 100'000 : 1'000'000});
  for (Step step = 0; step < 20; ++step) {
    const double begin = 10.0 * static_cast<double>(step);
    for (Rank rank = 0; rank < 2; ++rank) {
      run.bucket(rank, step, 0, begin + 5, begin + 9);
      run.step(rank, step, begin + 10, {rank * 1.0, 0, 2, 3.0 - rank, 4, 1, 10});
    }
  }
  for (Rank rank = 0; rank < 2; ++rank) {
    run.pass(rank, Phase::kTrain, 0, 201, 1, 20);
    run.pass(rank, Phase::kValidate, 0, 210, 1, 20, 0, 0.009);
  }
  const auto time = time_to_epoch(run.model(), 1);
  REQUIRE(time);
  const SpentTime spent = spent_time(run.model(), *time);
  const auto part = [&](Loss loss) { return spent.ns[static_cast<std::size_t>(loss)]; };
  // The data wait of the rank that is named last counts: 1 ms of rank 1.
  const std::int64_t waited = sure ? 20 * 400'000 : 0;
  const std::int64_t for_data = sure ? 20 * 500'000 : 0;
  CHECK(part(Loss::kTransfer) == 20 * 4 * kWaterfallMs - waited);
  CHECK(part(Loss::kImbalance) == waited - for_data);
  CHECK(part(Loss::kDataWait) == 20 * 500'000 + for_data);
}

TEST_CASE("A waterfall is given whenever a speedup is") {
  const Maker run(3, 2, 4, 1);
  const Waterfall none = waterfall(run.model(), nullptr, true);
  CHECK_FALSE(none.given());
  CHECK(none.speedup.why == "No baseline is selected.");
  CHECK(none.run_ns == 0);
}
