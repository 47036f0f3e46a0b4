// Replays of runs written by hand, whose step times under other circumstances can be computed.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gui/analysis/whatif/cores.h"
#include "gui/analysis/whatif/replay.h"
#include "gui/analysis/whatif/what_if.h"
#include "gui/model/run_model.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;
using support::MadeRun;

namespace {

constexpr Step kMadeSteps = 100;
constexpr std::int64_t kMibBytes = std::int64_t{1} << 20;

/// One rank's own work in a step, in ms.
struct Own {
  double data = 1;
  double forward = 10;
  double backward = 20;
  double late = 0;  ///< extra time before its last bucket
  double tail = 2;
};
using OwnOf = std::function<Own(Rank, Step)>;

struct MadeLink {
  double latency_ms = 1;
  double ms_per_mib = 1;
  std::vector<std::int64_t> mib{1, 4};  ///< sizes of the buckets
};

/// Steps of ranks with a core each: gradients become ready evenly during the backward pass, and a
/// bucket is exchanged when all ranks have it and the link is free.
MadeRun made(Rank ranks, const OwnOf& own, const MadeLink& link = {}, std::int32_t cpus = 0,
             std::int32_t threads = 1, const std::vector<std::int32_t>& cpu_of = {}) {
  MadeRun run(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    messages::RankHello hello;
    hello.world_size = ranks;
    hello.local_rank = rank;
    hello.threads = threads;
    if (!cpu_of.empty()) hello.cpus = {cpu_of[static_cast<std::size_t>(rank)]};
    run.say(rank, 0, hello);
  }
  if (cpus > 0) {
    messages::HostSample sample;
    sample.cpus = cpus;
    run.model().accept({0, kNoRank, 0, MadeRun::kStart}, messages::Record(sample));
  }
  double all_mib = 0;
  for (const auto mib : link.mib) all_mib += static_cast<double>(mib);
  std::vector<double> begin(static_cast<std::size_t>(ranks), 0.0);
  for (Step step = 0; step < kMadeSteps; ++step) {
    double free = 0;
    std::vector<std::vector<double>> ready(begin.size());
    std::vector<double> reduced;
    double mib = 0;
    for (std::size_t b = 0; b < link.mib.size(); ++b) {
      mib += static_cast<double>(link.mib[b]);
      double start = free;
      for (Rank rank = 0; rank < ranks; ++rank) {
        const Own work = own(rank, step);
        const auto i = static_cast<std::size_t>(rank);
        const bool last = b + 1 == link.mib.size();
        ready[i].push_back(begin[i] + work.data + work.forward + work.backward * mib / all_mib +
                           (last ? work.late : 0));
        start = std::max(start, ready[i].back());
      }
      free = start + link.latency_ms + link.ms_per_mib * static_cast<double>(link.mib[b]);
      reduced.push_back(free);
    }
    for (Rank rank = 0; rank < ranks; ++rank) {
      const Own work = own(rank, step);
      const auto i = static_cast<std::size_t>(rank);
      const double end = free + work.tail;
      for (std::size_t b = 0; b < link.mib.size(); ++b)
        run.bucket(rank, step, static_cast<std::int32_t>(b), ready[i][b], reduced[b],
                   link.mib[b] * kMibBytes);
      run.step(rank, step, end,
               {work.data, 0, work.forward, work.backward + work.late, free - ready[i].back(),
                work.tail, end - begin[i]});
      begin[i] = end;
    }
  }
  return run;
}

Own even(Rank /*rank*/, Step /*step*/) { return {}; }

double predicted_ms(const MadeRun& run, const StepChange& change) {
  const Replayable steps = replayable(run.model(), nullptr);
  CHECK(steps.refused.empty());
  return predict(steps, change).step_ns.value / 1e6;
}

}  // namespace

TEST_CASE("A replay without a change takes the recorded time", "[what_if]") {
  const MadeRun run = made(3, even);
  const Replayable steps = replayable(run.model(), nullptr);
  REQUIRE(steps.refused.empty());
  // The step is: data 1, forward 10, backward 20, then the last bucket's 1 + 4, then 2.
  CHECK(steps.worked.recorded_ns / 1e6 == Approx(38));
  CHECK(steps.replayed_ns / 1e6 == Approx(38));
  CHECK(steps.link.latency_ns / 1e6 == Approx(1));
  CHECK(steps.link.bytes_per_ns == Approx(static_cast<double>(kMibBytes) / 1e6));
  const Prediction same = predict(steps, {});
  CHECK(same.step_ns.value / 1e6 == Approx(38));
  CHECK(same.step_ns.low < same.step_ns.value);
}

TEST_CASE("A rank that is late by 20 ms is as quick as the others without its excess",
          "[what_if]") {
  const auto late_in = [](auto phase) {
    return made(3, [phase](Rank rank, Step step) {
      Own own = even(rank, step);
      if (rank == 1) own.*phase += 20;
      return own;
    });
  };
  const StepChange without{.without_rank = 1};
  for (const auto phase : {&Own::data, &Own::forward, &Own::backward, &Own::late, &Own::tail}) {
    const MadeRun run = late_in(phase);
    CHECK(replayable(run.model(), nullptr).worked.recorded_ns / 1e6 == Approx(58).margin(0.2));
    CHECK(predicted_ms(run, without) == Approx(38).margin(0.2));
    // Another rank is not the one that everybody waits for.
    CHECK(predicted_ms(run, {.without_rank = 2}) == Approx(58).margin(0.2));
  }
}

TEST_CASE("Without data wait nobody waits for data", "[what_if]") {
  const MadeRun run = made(2, [](Rank, Step step) {
    Own own;
    own.data = step % 10 == 0 ? 31 : 1;
    return own;
  });
  CHECK(predicted_ms(run, {.no_data_wait = true}) == Approx(37));
}

TEST_CASE("A link of twice the bandwidth halves the time of the bytes, not the latency",
          "[what_if]") {
  CHECK(predicted_ms(made(2, even), {.link = 2}) == Approx(36));
  // With a single bucket size latency and bandwidth are unknown: the band covers both extremes.
  const MadeRun one = made(2, even, {1, 1, {5}});
  const Prediction found = predict(replayable(one.model(), nullptr), {.link = 2});
  CHECK(found.step_ns.high >= found.recorded_ns);
  // The probe gives the latency.
  LinkProbe probe;
  probe.sizes = {{4, 0.001}, {kMibBytes, 0.002}};
  const Prediction known = predict(replayable(one.model(), &probe), {.link = 2});
  CHECK(known.link.of_probe);
  CHECK(known.step_ns.value / 1e6 == Approx(39 - 2.5));
  CHECK(known.step_ns.high < known.recorded_ns);
}

TEST_CASE("Gradients in one bucket are exchanged after the backward pass", "[what_if]") {
  // The exchange of the first MiB was hidden by the backward pass.
  CHECK(predicted_ms(made(2, even), {.bucket_mib = 100}) == Approx(31 + 6 + 2));
  // With buckets of 1 MiB four of five are hidden: each takes 2 ms, and one is ready every 4 ms.
  CHECK(predicted_ms(made(2, even), {.bucket_mib = 1}) == Approx(31 + 2 + 2));
}

TEST_CASE("More ranks exchange more", "[what_if]") {
  const Replayable steps = replayable(made(2, even).model(), nullptr);
  const Prediction found = predict(steps, {.ranks = 4});
  // The latency is three times, and the transfer one and a half times as long.
  CHECK(found.step_ns.value / 1e6 == Approx(31 + 3 + 6 + 2));
  CHECK(found.extrapolated);
  CHECK(found.step_ns.high / found.step_ns.value > 1.1);
}

TEST_CASE("Several changes can be combined", "[what_if]") {
  const MadeRun run = made(2, [](Rank rank, Step step) {
    Own own = even(rank, step);
    if (rank == 0) own.forward += 20;
    return own;
  });
  CHECK(predicted_ms(run, {.without_rank = 0, .link = 2, .no_data_wait = true}) ==
        Approx(35).margin(0.2));
}

TEST_CASE("Ranks that share cores are slower if nobody sleeps", "[what_if]") {
  // Four ranks that each compute 10 ms on two cores take 20 ms; one sleeps for 10 ms first, in
  // which the others do two thirds of their work.
  WorkedSteps all;
  all.bucket_bytes = {1000};
  all.cores.per_rank = 1;
  all.cores.group_of = {0, 0, 0, 0};
  all.cores.all = {2};
  for (Step step = 0; step < 30; ++step) {
    WorkedStep one;
    one.step = step;
    one.follows = step > 0;
    for (int rank = 0; rank < 4; ++rank)
      one.ranks.push_back({0, {{rank == 0 ? 10e6 : 0, 0}, {0, 10e6}, {0, 0}, {0, 0}}, {0}});
    all.steps.push_back(one);
  }
  CHECK(replay(all).back() / 1e6 == Approx(10 + 20.0 / 3 + 20.0 / 3));
  for (WorkedStep& step : all.steps) step.ranks[0].pieces[0].asleep_ns = 0;
  CHECK(replay(all).back() / 1e6 == Approx(20));
  all.cores.per_rank = 0;
  CHECK(replay(all).back() / 1e6 == Approx(10));
  // If other processes take each idle core, two of three ranks keep sharing one.
  Cores cores;
  cores.per_rank = 1;
  cores.group_of = {0, 0, 0};
  cores.all = {2};
  CHECK(cores.speed(0, 3) == Approx(2.0 / 3));
  cores.full = true;
  CHECK(cores.speed(0, 3) == Approx(0.5));
  CHECK(cores.speed(0, 2) == 1);
}

TEST_CASE("The recorded time of ranks that share cores contains less work", "[what_if]") {
  const MadeRun run = made(4, even, {}, 2);
  const WorkedSteps steps = worked_steps(run.model());
  CHECK(steps.shared);
  CHECK(steps.steps[5].ranks[0].pieces[1].work_ns / 1e6 == Approx(10 / 2.0).margin(0.1));
  CHECK(predicted_ms(run, {}) == Approx(38).margin(0.1));
}

TEST_CASE("Ranks that are bound to a CPU share it only with those bound to the same one",
          "[what_if]") {
  const auto cores = [](const std::vector<std::vector<std::int32_t>>& cpus, std::int32_t threads) {
    MadeRun run(static_cast<Rank>(cpus.size()));
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      messages::RankHello hello;
      hello.world_size = static_cast<std::int32_t>(cpus.size());
      hello.threads = threads;
      hello.cpus = cpus[i];
      run.say(static_cast<Rank>(i), 0, hello);
    }
    messages::HostSample sample;
    sample.cpus = 8;
    run.model().accept({0, kNoRank, 0, MadeRun::kStart}, messages::Record(sample));
    return cores_of(run.model());
  };
  const auto groups = [&](const std::vector<std::vector<std::int32_t>>& cpus) {
    const Cores found = cores(cpus, 1);
    return std::pair(found.group_of, found.all);
  };
  using Groups = std::pair<std::vector<std::size_t>, std::vector<double>>;
  CHECK(groups({{4, 5}, {6}, {5, 4}}) == Groups({0, 1, 0}, {2, 1}));
  CHECK(groups({{4, 5}, {5, 6}, {7}}) == Groups({0, 0, 0}, {8}));
  CHECK(groups({{}, {}}) == Groups({0, 0}, {8}));
  CHECK(groups({{0, 1, 2}, {0, 1, 2}}) == Groups({0, 0}, {3}));
  CHECK(cores({{0}, {1}}, 4).all == std::vector<double>{8});
  const Cores more = cores({{4}, {5}}, 1).for_ranks(3);
  CHECK(std::pair(more.group_of, more.all) == Groups({0, 0, 0}, {8}));
  Cores alone = cores({{4}, {5}}, 1);
  alone.others = 1e-6;
  CHECK_FALSE(alone.are_crowded());
  alone.others = 0.5;
  CHECK(alone.are_crowded());
}

TEST_CASE(
    "A sleep between forward and backward pass is found where ranks elsewhere have as much work",
    "[what_if]") {
  // Ranks 0 and 2 share a CPU: both need 20 ms for 10 ms of forward pass, then rank 0 sleeps for
  // 30 ms, in which rank 2 has the CPU for its backward pass of 20 ms.
  MadeRun run = made(3,
                     [](Rank rank, Step) {
                       return Own{1, rank == 0 ? 50.0 : rank == 2 ? 20.0 : 10.0, 20, 0, 2};
                     },
                     {1, 1, {5}}, 2, 1, {0, 1, 0});
  messages::HostSample sample;
  sample.cpus = 2;
  sample.rank_cpu_pct = {41, 43, 41};
  run.model().accept({0, kNoRank, 0, MadeRun::kStart + 2'000'000'000}, messages::Record(sample));
  const WorkedSteps steps = worked_steps(run.model());
  REQUIRE(steps.shared);
  CHECK(steps.steps[5].ranks[0].pieces[1].before == 1);
  CHECK(steps.steps[5].ranks[0].pieces[1].work_ns / 1e6 == Approx(10).margin(0.1));
  CHECK(steps.steps[5].ranks[2].pieces[2].work_ns / 1e6 == Approx(20).margin(0.1));
  // Without the sleep: data 1, forward 20, backward 40, the exchange 6, the optimizer 2.
  CHECK(predicted_ms(run, {.without_rank = 0}) == Approx(69).margin(0.5));
}

TEST_CASE("Of ranks that share cores one is taken to sleep, as a wait for a core looks the same",
          "[what_if]") {
  const OwnOf uneven = [](Rank rank, Step) {
    Own own;
    own.data = rank == 0 ? 21 : rank == 1 ? 4 : 1;
    return own;
  };
  const auto asleep_ms = [&](std::int32_t cpus) {
    const WorkedSteps steps = worked_steps(made(4, uneven, {}, cpus).model());
    std::vector<long> all;
    for (const WorkedRank& rank : steps.steps[5].ranks)
      all.push_back(std::lround(rank.pieces[0].asleep_ns / 1e6));
    return all;
  };
  CHECK(asleep_ms(4) == std::vector<long>{20, 3, 0, 0});
  CHECK(asleep_ms(2) == std::vector<long>{20, 0, 0, 0});
}

TEST_CASE("A replay is refused if the records are not sufficient", "[what_if]") {
  const auto refused = [](const model::RunModel& model) {
    return replayable(model, nullptr).refused;
  };
  CHECK_THAT(refused(MadeRun(1).model()), Catch::Contains("One rank waits for no other"));
  CHECK_THAT(refused(MadeRun(2).model()), Catch::Contains("no gradient buckets"));
  MadeRun short_run(2);
  for (Step step = 0; step < 12; ++step) {
    for (Rank rank = 0; rank < 2; ++rank) {
      const double end = 10.0 * static_cast<double>(step + 1);
      short_run.bucket(rank, step, 0, end - 5, end - 2);
      short_run.step(rank, step, end, {.step = 10});
    }
  }
  CHECK_THAT(refused(short_run.model()), Catch::Contains("a replay needs 20"));
  // Two buckets of similar size have very different times: no link model explains them.
  MadeRun odd(2);
  for (Step step = 0; step < 60; ++step) {
    for (Rank rank = 0; rank < 2; ++rank) {
      const double end = 100.0 * static_cast<double>(step + 1);
      odd.bucket(rank, step, 0, end - 95, end - 90, 100);
      odd.bucket(rank, step, 1, end - 60, end - 2, 110);
      odd.step(rank, step, end, {.step = 100});
    }
  }
  CHECK_THAT(refused(odd.model()), Catch::Contains("do not explain the step"));
}

TEST_CASE("A change that does not fit the run is refused with the reason", "[what_if]") {
  CHECK(check_change({.without_rank = 2, .link = 2, .ranks = 8}, 3).empty());
  CHECK(check_change({.without_rank = 3}, 3) ==
        "there is no rank 3 in this run: its ranks are 0 to 2");
  CHECK_FALSE(check_change({.link = 0}, 3).empty());
  CHECK_FALSE(check_change({.ranks = 1}, 3).empty());
}
