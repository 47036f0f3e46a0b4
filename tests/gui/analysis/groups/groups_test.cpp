// Figures computed by hand: two ranks that share a model, and four ranks in two dimensions.
#include "gui/analysis/groups/groups.h"

#include "gui/analysis/alerts/alerts.h"
#include "gui/model/groups/group_store.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

namespace ringside {
namespace {

using analysis::groups;
using analysis::mismatch;
using messages::Collective;
using support::MadeRun;

constexpr Step kGroupSteps = 60;

/// Reports of ranks about their groups; each rank counts its own calls.
class Members {
 public:
  explicit Members(MadeRun& run) : run_(run) {}

  void join(Rank rank, std::int32_t group, const std::string& name, const std::string& dimension,
            std::vector<std::int32_t> ranks) {
    run_.say(rank, 0,
             messages::GroupReport{group, name, dimension, "mesh_" + dimension, "gloo",
                                   std::move(ranks)});
  }

  void call(Rank rank, std::int32_t group, Collective operation, Step step, double entered_ms,
            double done_ms, double own_ms, std::int64_t bytes = 4000) {
    messages::CollectiveReport body;
    body.step = step;
    body.group = group;
    body.operation = static_cast<std::uint8_t>(operation);
    body.number = numbers_[{rank, group}]++;
    body.size_bytes = bytes;
    body.entered_ns = body.issued_ns = MadeRun::kStart + MadeRun::ns(entered_ms);
    body.done_ns = MadeRun::kStart + MadeRun::ns(done_ms);
    body.own_ns = MadeRun::ns(own_ms);
    run_.say(rank, done_ms, body);
  }

  /// A call that the rank does not report.
  void leave_out(Rank rank, std::int32_t group) { ++numbers_[{rank, group}]; }

 private:
  MadeRun& run_;
  std::map<std::pair<Rank, std::int32_t>, std::int64_t> numbers_;
};

void end_steps(MadeRun& run, Step step, double end_ms, double data_ms = 0, Rank slow = 1) {
  for (Rank rank = 0; rank < run.ranks(); ++rank) {
    MadeRun::Parts parts;
    parts.data = rank == slow ? data_ms : 0;
    parts.step = 100;
    run.step(rank, step, end_ms, parts);
  }
}

/// Trains two ranks with an all-gather and a reduce-scatter per step; rank 1 spends `late_ms` more
/// before the first.
Members train_two(MadeRun& run, double late_ms, double data_ms) {
  Members members(run);
  for (Rank rank = 0; rank < 2; ++rank) members.join(rank, 0, "0", "dp", {0, 1});
  for (Step step = 0; step < kGroupSteps; ++step) {
    const double begin = 100.0 * static_cast<double>(step);
    // Each rank is a little earlier in every second step.
    const double jitter = step % 2 == 0 ? 0.2 : 0;
    members.call(0, 0, Collective::kAllGather, step, begin + 10 + jitter, begin + 14 + late_ms,
                 10 + jitter);
    members.call(1, 0, Collective::kAllGather, step, begin + 10 + late_ms, begin + 14 + late_ms,
                 10 + late_ms);
    members.call(0, 0, Collective::kReduceScatter, step, begin + 60, begin + 62, 30, 8000);
    members.call(1, 0, Collective::kReduceScatter, step, begin + 60, begin + 62, 30, 8000);
    end_steps(run, step, begin + 100, data_ms);
  }
  return members;
}

std::optional<analysis::Alert> mismatch_alert(const model::RunModel& model) {
  for (auto& alert : analysis::alerts(model, model.last_ns(), {})) {
    if (alert.kind == analysis::AlertKind::kMismatch) return alert;
  }
  return std::nullopt;
}

TEST_CASE("a rank that spends more before a collective is blamed, with group and place") {
  MadeRun run(2);
  train_two(run, 20, 18);
  const auto found = groups(run.model());
  REQUIRE(found.rows.size() == 2);
  const auto& gather = found.rows[0];
  CHECK(gather.operation == Collective::kAllGather);
  CHECK(gather.calls_per_step == Approx(1));
  CHECK(gather.size_bytes.value() == Approx(4000));
  CHECK(gather.wait_ns == Approx(19.9e6));
  CHECK(gather.transfer_ns.value() == Approx(4e6));
  CHECK(gather.link_per_s.value() == Approx(4000 / 4e-3));  // the whole input of the other rank
  CHECK(found.rows[1].link_per_s.value() == Approx(8000 / 2.0 / 2e-3));  // half of its own input
  REQUIRE(gather.members.size() == 2);
  CHECK(gather.members[1].times_last == gather.judged);
  CHECK(gather.members[0].mean_wait_ns == Approx(19.9e6));
  CHECK(found.rows[1].wait_ns == Approx(0));
  REQUIRE(found.blame);
  CHECK(found.blame->rank == 1);
  CHECK(found.blame->operation == Collective::kAllGather);
  CHECK(found.blame->place == 0);
  CHECK(found.blame->excess_ns == Approx(19.9e6));
  CHECK(found.blame->data_wait_ns == Approx(18e6));
  CHECK(found.blame->most == found.blame->steps);
  CHECK_FALSE(mismatch(run.model()));
}

TEST_CASE("a lane has the mean times of each collective of a step, over steps that are alike") {
  MadeRun run(2);
  Members members = train_two(run, 20, 18);
  for (Rank rank = 0; rank < 2; ++rank) {  // one step with other calls, as before an evaluation
    const double begin = 100.0 * static_cast<double>(kGroupSteps);
    members.call(rank, 0, Collective::kBroadcast, kGroupSteps, begin + 5, begin + 6, 5);
  }
  end_steps(run, kGroupSteps, 100.0 * static_cast<double>(kGroupSteps) + 100);
  const auto found = analysis::lanes(run.model());
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].calls.size() == 2);
  const auto& gather = found[0].calls[0];
  CHECK(gather.entered_ns == Approx(10.1e6));
  CHECK(gather.arrived_ns == Approx(30e6));
  CHECK(gather.done_ns == Approx(34e6));
  CHECK(gather.wait_ns == Approx(19.9e6 / 2));  // one of two members waits
  const auto& scatter = found[0].calls[1];
  CHECK(scatter.entered_ns == Approx(60e6));
  CHECK(scatter.done_ns == Approx(62e6));
  CHECK(scatter.wait_ns == Approx(0));
}

TEST_CASE("a group that one rank never reports does not use up the space of others") {
  model::GroupStore store;
  for (Rank rank = 0; rank < 2; ++rank) {
    store.add(rank, messages::GroupReport{0, "zero", "", "", "gloo", {0, 1}});
    store.add(rank, messages::GroupReport{1, "one", "", "", "gloo", {0, 1}});
  }
  const auto call = [&](Rank rank, std::int32_t group, Step step) {
    messages::CollectiveReport body;
    body.group = group;
    body.step = body.number = step;
    store.add(rank, body);
  };
  const auto most = static_cast<Step>(model::kMostPending);
  for (Step step = 0; step < 2 * most; ++step) call(0, 1, step);
  for (Rank rank = 0; rank < 2; ++rank) call(rank, 0, 2 * most);
  REQUIRE(store.rounds().size() == 1);
  CHECK(store.rounds()[0].group == 0);
}

TEST_CASE("without step times nobody is blamed") {
  MadeRun run(2);
  Members members(run);
  for (Rank rank = 0; rank < 2; ++rank) members.join(rank, 0, "0", "", {0, 1});
  for (Step step = 0; step < kGroupSteps; ++step) {
    const double begin = 100.0 * static_cast<double>(step);
    for (Rank rank = 0; rank < 2; ++rank)
      members.call(rank, 0, Collective::kAllReduce, step, begin + 20.0 * rank, begin + 40,
                   10 + 20.0 * rank);
  }
  CHECK_FALSE(groups(run.model()).blame);
}

TEST_CASE("within the jitter nobody is blamed") {
  MadeRun run(2);
  train_two(run, 0.1, 0);
  CHECK_FALSE(groups(run.model()).blame);
}

/// The blame for rank 1 of two ranks with own times `own_ms(rank, place, step)` before each of two
/// collectives in a step of 100 ms.
template <class OwnMs>
std::optional<analysis::GroupBlame> blame_of_two(OwnMs own_ms) {
  MadeRun run(2);
  Members members(run);
  for (Rank rank = 0; rank < 2; ++rank) members.join(rank, 0, "0", "dp", {0, 1});
  for (Step step = 0; step < kGroupSteps; ++step) {
    for (const int place : {0, 1}) {
      const double done_ms = 100.0 * static_cast<double>(step) + 45 * (place + 1);
      for (Rank rank = 0; rank < 2; ++rank) {
        const double own = own_ms(rank, place, step);
        members.call(rank, 0, Collective::kAllReduce, step, done_ms - 45 + own, done_ms, own);
      }
    }
    end_steps(run, step, 100.0 * static_cast<double>(step + 1));
  }
  return groups(run.model()).blame;
}

TEST_CASE(
    "a rank that is late before one collective is blamed though the other is before the next") {
  const auto blame = blame_of_two(
      [](Rank rank, int place, Step) { return 10.0 + (place == 0 ? 6 * rank : 5 - 5 * rank); });
  REQUIRE(blame);
  CHECK(blame->rank == 1);
  CHECK(blame->place == 0);
  CHECK(blame->excess_ns == Approx(6e6));
}

TEST_CASE(
    "a rank that is very late is blamed though the other is slightly late in a third of the "
    "steps") {
  const auto blame = blame_of_two([](Rank rank, int place, Step step) {
    const bool other = step % 3 == 0;
    return 10.0 + (place == 0 ? 0 : other ? 1 - rank : 4 * rank);
  });
  REQUIRE(blame);
  CHECK(blame->rank == 1);
  CHECK(blame->place == 1);
}

TEST_CASE("a rank that takes twice as long in two steps of five is not blamed") {
  CHECK_FALSE(blame_of_two(
      [](Rank rank, int, Step step) { return rank == 1 && step % 5 < 2 ? 20.0 : 10.0; }));
}

TEST_CASE("with too few steps nobody is blamed") {
  MadeRun run(2);
  Members members(run);
  for (Rank rank = 0; rank < 2; ++rank) members.join(rank, 0, "0", "", {0, 1});
  for (Step step = 0; step < 15; ++step) {
    for (Rank rank = 0; rank < 2; ++rank)
      members.call(rank, 0, Collective::kAllReduce, step, 10 + 20.0 * rank, 40, 10 + 20.0 * rank);
    end_steps(run, step, 100);
  }
  CHECK_FALSE(groups(run.model()).blame);
}

// Ranks 0 and 1 hold parts of one copy, 2 and 3 of another. Rank 1 is late to its shard, so that
// rank 0 comes late to rank 2 without being to blame.
TEST_CASE("a rank that comes late because it waited in another group is not blamed") {
  MadeRun run(4);
  Members members(run);
  for (Rank rank = 0; rank < 4; ++rank) {
    const Rank first = rank / 2 * 2;
    members.join(rank, 0, "shard", "shard", {first, first + 1});
    members.join(rank, 1, rank % 2 == 0 ? "even" : "odd", "replicate", {rank % 2, rank % 2 + 2});
  }
  for (Step step = 0; step < kGroupSteps; ++step) {
    const double begin = 100.0 * static_cast<double>(step);
    for (Rank rank = 0; rank < 4; ++rank) {
      const double own = rank == 1 ? 30 : 10;
      const double together = begin + (rank < 2 ? 31 : 11);
      members.call(rank, 0, Collective::kReduceScatter, step, begin + own, together, own);
      members.call(rank, 1, Collective::kAllReduce, step, together + 1, begin + 34, 1);
    }
    end_steps(run, step, begin + 100);
  }
  const auto found = groups(run.model());
  REQUIRE(found.rows.size() == 4);
  for (const auto& row : found.rows) {
    const auto& group = run.model().groups().groups()[row.group];
    if (group.dimension != "replicate") continue;
    // The rank of the late copy comes last there.
    CHECK(row.members[0].times_last == row.judged);
    CHECK(row.wait_ns == Approx(20e6));
  }
  REQUIRE(found.blame);
  CHECK(found.blame->rank == 1);
  CHECK(run.model().groups().groups()[found.blame->group].dimension == "shard");
  CHECK(found.blame->excess_ns == Approx(20e6));
}

TEST_CASE("if two ranks call different operations, neither is blamed") {
  MadeRun run(2);
  Members members(run);
  for (Rank rank = 0; rank < 2; ++rank) members.join(rank, 0, "0", "dp", {0, 1});
  members.call(0, 0, Collective::kAllReduce, 0, 1, 2, 1);
  members.call(1, 0, Collective::kAllReduce, 0, 1, 2, 1, 8000);
  CHECK_FALSE(mismatch(run.model()));
  members.call(0, 0, Collective::kAllGather, 0, 3, 4, 1);
  members.call(1, 0, Collective::kReduceScatter, 0, 3, 4, 1);
  const auto found = mismatch(run.model());
  REQUIRE(found);
  CHECK(found->number == 1);
  CHECK_FALSE(found->majority);
  CHECK(found->all_came);
  REQUIRE(found->entered.size() == 2);
  CHECK(found->entered[0].operation == Collective::kAllGather);
  CHECK(found->entered[1].ranks == std::vector<Rank>{1});
  const auto alert = mismatch_alert(run.model());
  REQUIRE(alert);
  CHECK(alert->rank == kNoRank);
}

TEST_CASE(
    "a rank that calls another operation than most of its group is named before all have come") {
  MadeRun run(5);
  Members members(run);
  for (Rank rank = 0; rank < 5; ++rank) members.join(rank, 0, "0", "dp", {0, 1, 2, 3, 4});
  members.call(2, 0, Collective::kAllGather, 0, 3, 4, 1);
  members.call(0, 0, Collective::kReduceScatter, 0, 3, 4, 1);
  members.call(1, 0, Collective::kReduceScatter, 0, 3, 4, 1);
  CHECK(mismatch_alert(run.model())->rank == kNoRank);
  members.call(4, 0, Collective::kReduceScatter, 0, 3, 4, 1);
  const auto alert = mismatch_alert(run.model());
  REQUIRE(alert);
  CHECK(alert->rank == 2);
  CHECK(alert->mismatch.majority);
  CHECK_FALSE(alert->mismatch.all_came);
}

// The current round was incomplete when the ranks restarted.
TEST_CASE("ranks that restart do not match reports about their old call numbers") {
  model::GroupStore store;
  const auto join = [&](Rank rank) {
    store.begin(rank);
    store.add(rank, messages::GroupReport{0, "zero", "", "", "gloo", {0, 1}});
  };
  const auto call = [&](Rank rank, Collective operation) {
    messages::CollectiveReport body;
    body.operation = static_cast<std::uint8_t>(operation);
    store.add(rank, body);
  };
  for (Rank rank = 0; rank < 2; ++rank) join(rank);
  call(0, Collective::kAllGather);
  for (Rank rank = 0; rank < 2; ++rank) join(rank);
  for (Rank rank = 1; rank >= 0; --rank) call(rank, Collective::kAllReduce);
  CHECK_FALSE(store.mismatch());
  REQUIRE(store.rounds().size() == 1);
}

TEST_CASE("collectives that are only queued on a device say nothing about arrivals") {
  MadeRun run(2);
  Members members(run);
  for (Rank rank = 0; rank < 2; ++rank) {
    members.join(rank, 0, "0", "", {0, 1});
    messages::CollectiveReport body;
    body.size_bytes = 10;
    body.entered_ns = body.issued_ns = MadeRun::kStart + MadeRun::ns(1 + 50.0 * rank);
    body.on_device = 1;
    run.say(rank, 60, body);
  }
  const auto found = groups(run.model());
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].calls == 1);
  CHECK(found.rows[0].judged == 0);
  CHECK(found.rows[0].members.empty());
  CHECK_FALSE(found.rows[0].transfer_ns);
}

TEST_CASE("the call numbers of a group restart with another attempt") {
  MadeRun run(2);
  Members members(run);
  for (Rank rank = 0; rank < 2; ++rank) members.join(rank, 0, "0", "", {0, 1});
  members.call(0, 0, Collective::kAllReduce, 0, 1, 2, 1);
  for (Rank rank = 0; rank < 2; ++rank) {
    messages::RankHello hello;
    hello.world_size = 2;
    hello.attempt = 1;
    run.say(rank, 10, hello);
  }
  Members again(run);
  for (Rank rank = 0; rank < 2; ++rank) again.join(rank, 0, "0", "", {0, 1});
  again.call(1, 0, Collective::kAllReduce, 0, 11, 12, 1);
  CHECK(run.model().groups().rounds().empty());
  again.call(0, 0, Collective::kAllReduce, 0, 11, 12, 1);
  REQUIRE(run.model().groups().rounds().size() == 1);
  CHECK(run.model().groups().rounds()[0].arrivals[0].entered_ns == MadeRun::kStart + 11'000'000);
}

/// Two ranks with a collective at the end of each `interval` steps until `end`; the others are not
/// reported.
double calls_per_step(Step interval, bool others, Step end = kGroupSteps,
                      Collective operation = Collective::kAllReduce) {
  MadeRun run(2);
  Members members(run);
  for (Rank rank = 0; rank < 2; ++rank) members.join(rank, 0, "0", "dp", {0, 1});
  for (Step step = 0; step < kGroupSteps; ++step) {
    const double begin = 100.0 * static_cast<double>(step);
    for (Rank rank = 0; rank < 2; ++rank) {
      if (step % interval == interval - 1 && step < end)
        members.call(rank, 0, operation, step, begin, begin + 1, 1);
      else if (others)
        members.leave_out(rank, 0);
    }
    end_steps(run, step, begin + 100);
  }
  return groups(run.model()).rows.at(0).calls_per_step;
}

TEST_CASE("calls per step count the steps without a call, but not those that are not reported") {
  CHECK(calls_per_step(10, false) == Approx(0.1));
  CHECK(calls_per_step(2, true) == Approx(1));
  CHECK(calls_per_step(2, false, kGroupSteps, Collective::kSend) == Approx(2));  // one each
}

TEST_CASE(
    "calls per step do not count the newest steps, whose calls are not recorded yet or any more") {
  CHECK(calls_per_step(1, false, kGroupSteps - 1) == Approx(1));
  CHECK(calls_per_step(1, false, kGroupSteps / 2) == Approx(1));
}

TEST_CASE(
    "steps that an attempt repeated count once, and nobody is blamed for an earlier attempt") {
  MadeRun run(2);
  train_two(run, 20, 18);
  REQUIRE(groups(run.model()).blame);
  for (Rank rank = 0; rank < 2; ++rank) {
    messages::RankHello hello;
    hello.world_size = 2;
    hello.attempt = 1;
    run.say(rank, 100.0 * kGroupSteps + 10, hello);
  }
  CHECK(run.model().groups().rounds().empty());
  train_two(run, 0, 0);
  const auto found = groups(run.model());
  REQUIRE(found.rows.size() == 2);
  CHECK(found.rows[0].calls_per_step == Approx(1));
  CHECK(found.rows[0].wait_ns < 1e6);
  CHECK_FALSE(found.blame);
}

/// Exchanges two buckets per step: the first is ready at 40 ms and reduced at 50, the second is
/// ready at 44, so that it waits for the first one, and reduced at 56. Rank 1 computes `late_ms`
/// longer before both.
void exchange_buckets(MadeRun& run, double late_ms) {
  for (Step step = 0; step < kGroupSteps; ++step) {
    const double begin = 100.0 * static_cast<double>(step);
    for (Rank rank = 0; rank < 2; ++rank) {
      const double late = rank == 1 ? late_ms : step % 2 == 0 ? 0.2 : 0;
      run.bucket(rank, step, 0, begin + 40 + late, begin + 50 + late_ms, 4'000'000);
      run.bucket(rank, step, 1, begin + 44 + late, begin + 56 + late_ms, 2'000'000);
    }
    end_steps(run, step, begin + 100);
  }
}

TEST_CASE("without other reports DDP's buckets count as all-reduces of all ranks") {
  MadeRun run(2);
  exchange_buckets(run, 20);
  const auto found = groups(run.model());
  REQUIRE(found.rows.size() == 1);
  const auto& row = found.rows[0];
  CHECK(row.operation == Collective::kAllReduce);
  CHECK(row.calls_per_step == Approx(2));
  CHECK(row.size_bytes.value() == Approx(3e6));
  CHECK(row.wait_ns == Approx(19.9e6).epsilon(0.01));
  CHECK(row.transfer_ns.value() == Approx(8e6));  // 10, and 6 after that
  CHECK(row.link_per_s.value() == Approx(3e6 / 8e-3));
  REQUIRE(row.members.size() == 2);
  CHECK(row.members[1].times_last == row.judged);
  REQUIRE(found.blame);
  CHECK(found.blame->rank == 1);
  CHECK(found.blame->place == 0);
  CHECK(found.blame->excess_ns == Approx(20e6).epsilon(0.05));

  const auto lanes = analysis::lanes(run.model());
  REQUIRE(lanes.size() == 1);
  REQUIRE(lanes[0].calls.size() == 2);
  CHECK(lanes[0].calls[1].done_ns == Approx(76e6));
}

TEST_CASE("buckets blame nobody if all compute equally long, and are ignored beside reports") {
  MadeRun even(2);
  exchange_buckets(even, 0);
  CHECK_FALSE(groups(even.model()).blame);

  MadeRun both(2);
  exchange_buckets(both, 20);
  train_two(both, 0, 0);
  for (const auto& row : groups(both.model()).rows) CHECK(row.operation != Collective::kAllReduce);

  MadeRun alone(1);
  alone.bucket(0, 0, 0, 40, 50);
  CHECK(groups(alone.model()).rows.empty());
}

TEST_CASE("of a long run every n-th step is kept completely") {
  model::GroupStore store;
  for (Rank rank = 0; rank < 2; ++rank)
    REQUIRE(store.add(rank, messages::GroupReport{0, "0", "", "", "gloo", {0, 1}}));
  CHECK_FALSE(store.add(5, messages::GroupReport{0, "0", "", "", "gloo", {0, 1}}));
  const auto calls = static_cast<std::int64_t>(model::kMostArrivals);
  for (std::int64_t number = 0; number < calls; ++number) {
    messages::CollectiveReport body;
    body.number = number;
    body.step = number / 4;
    for (Rank rank = 0; rank < 2; ++rank) REQUIRE(store.add(rank, body));
  }
  CHECK(store.stride() >= 2);
  CHECK(store.rounds().size() * 2 <= model::kMostArrivals);
  CHECK(store.rounds().size() * 8 >= model::kMostArrivals);
  std::map<Step, int> steps;
  for (const auto& round : store.rounds()) ++steps[round.step];
  CHECK(steps.begin()->first == 0);
  for (const auto& [step, count] : steps) {
    CHECK(step % store.stride() == 0);
    CHECK(count == 4);
  }
}

}  // namespace
}  // namespace ringside
