// Four ranks in two groups of two, tp, and in two groups across them, dp. Times in ms.
#include "gui/analysis/groups/hangs.h"

#include <algorithm>
#include <array>

#include "gui/analysis/alerts/alerts.h"
#include "gui/model/groups/group_store.h"
#include "protocol/messages/notice_codes.h"
#include "tests/gui/analysis/made_run.h"
#include "tests/support/catch.h"

namespace ringside {
namespace {

using analysis::Alert;
using analysis::AlertKind;
using messages::Collective;
using support::MadeRun;

constexpr std::int32_t kTp = 0;
constexpr std::int32_t kDp = 1;
constexpr std::int32_t kAll = 2;
constexpr double kNotDone = -1;

/// A run in which each rank ends a step of 100 ms with one complete collective in each group.
class HungRun {
 public:
  HungRun() {
    for (Rank rank = 0; rank < 4; ++rank) {
      run_.rank_state(rank, 0, messages::State::kTraining);
      const Rank first = rank / 2 * 2;
      join(rank, kTp, "tp", {first, first + 1});
      join(rank, kDp, "dp_shard", {rank % 2, rank % 2 + 2});
      join(rank, kAll, "", {0, 1, 2, 3});
      for (const std::int32_t group : {kTp, kDp, kAll}) enter(rank, group, 50, 60);
      run_.step(rank, 0, 100, {0, 0, 0, 1, -1, 0, 100});
    }
  }

  /// Reports the next collective of a group, a second later.
  void enter(Rank rank, std::int32_t group, double entered_ms, double done_ms,
             Collective operation = Collective::kAllReduce) {
    tell(rank, group, numbers_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(group)]++,
         entered_ms, done_ms, operation);
  }

  /// Reports the newest collective of a group again, as done.
  void done(Rank rank, std::int32_t group, double entered_ms, double done_ms) {
    const auto& numbers = numbers_[static_cast<std::size_t>(rank)];
    tell(rank, group, numbers[static_cast<std::size_t>(group)] - 1, entered_ms, done_ms,
         Collective::kAllReduce);
  }

  std::vector<Alert> alerts(double at_ms) const {
    std::vector<Alert> found;
    for (Alert& one : analysis::alerts(run_.model(), MadeRun::kStart + MadeRun::ns(at_ms), {})) {
      if (one.kind == AlertKind::kRankHung || one.kind == AlertKind::kRankSilent)
        found.push_back(std::move(one));
    }
    return found;
  }

  const std::vector<Rank>& ranks_of(const Alert& alert) const {
    return run_.model().groups().groups()[alert.hang.group].ranks;
  }

  /// Whether nobody is named for a missed collective.
  bool names_nobody(double at_ms) const {
    const auto found = alerts(at_ms);
    return std::all_of(found.begin(), found.end(),
                       [](const Alert& one) { return one.hang.rank == kNoRank; });
  }

  MadeRun& run() { return run_; }

 private:
  void join(Rank rank, std::int32_t group, const std::string& dimension, std::vector<Rank> ranks) {
    run_.say(rank, 0,
             messages::GroupReport{group, "name" + std::to_string(group), dimension, "", "gloo",
                                   std::move(ranks)});
  }

  void tell(Rank rank, std::int32_t group, std::int64_t number, double entered_ms, double done_ms,
            Collective operation) {
    messages::CollectiveReport body;
    body.step = entered_ms < 100 ? 0 : 1;
    body.group = group;
    body.number = number;
    body.operation = static_cast<std::uint8_t>(operation);
    body.entered_ns = body.issued_ns = MadeRun::kStart + MadeRun::ns(entered_ms);
    body.done_ns = done_ms < 0 ? -1 : MadeRun::kStart + MadeRun::ns(done_ms);
    run_.say(rank, std::max(entered_ms + 1000, done_ms), body);
  }

  MadeRun run_{4};
  std::array<std::array<std::int64_t, 3>, 4> numbers_{};
};

TEST_CASE(
    "the member of a group that has not entered the collective in which others wait is named") {
  HungRun hung;
  hung.enter(2, kTp, 200, kNotDone);
  hung.enter(0, kDp, 150, 160);
  hung.enter(2, kDp, 150, 160);
  // Ranks 0 and 1 wait for that, too.
  hung.enter(0, kAll, 210, kNotDone);
  hung.enter(1, kAll, 210, kNotDone);
  CHECK(hung.alerts(9'900).empty());
  CHECK(hung.alerts(12'100).empty());  // a rank that came late may not have reported it yet
  CHECK(hung.alerts(12'300).size() == 1);
  const auto alert = hung.alerts(22'300).at(0);
  CHECK(alert.kind == AlertKind::kRankHung);
  CHECK(alert.rank == 3);
  CHECK(alert.seconds == Approx(20.1));
  CHECK(alert.hang.operation == Collective::kAllReduce);
  CHECK(alert.hang.number == 1);
  CHECK(alert.hang.waiting == std::vector<Rank>{2});
  CHECK(hung.ranks_of(alert) == std::vector<Rank>{2, 3});
  CHECK(key_of(alert) == "rank_hung/3/0");
}

TEST_CASE("in a chain of waiting ranks only the one at the end is blamed") {
  HungRun hung;
  hung.enter(0, kTp, 200, kNotDone);  // waits for rank 1, which waits for rank 3
  hung.enter(1, kDp, 190, kNotDone);
  const auto found = hung.alerts(15'000);
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == AlertKind::kRankSilent);
  CHECK(found[0].rank == 2);
  CHECK(found[1].rank == 3);
  CHECK(hung.ranks_of(found[1]) == std::vector<Rank>{1, 3});
  CHECK(found[1].hang.waiting == std::vector<Rank>{1});
}

TEST_CASE("ranks that wait for each other are not blamed") {
  HungRun hung;
  hung.enter(0, kTp, 200, kNotDone);
  hung.enter(1, kDp, 200, kNotDone);
  hung.enter(3, kTp, 200, kNotDone);
  hung.enter(2, kDp, 200, kNotDone);
  CHECK(hung.names_nobody(15'000));
  CHECK(hung.alerts(15'000).size() == 4);
}

TEST_CASE("a rank that waits to receive is not blamed") {
  HungRun hung;
  hung.enter(0, kTp, 200, kNotDone);
  hung.enter(1, kDp, 150, kNotDone, Collective::kReceive);
  CHECK(hung.names_nobody(15'000));
}

TEST_CASE("a hang is over when the wait is, or when the rank has come") {
  HungRun hung;
  hung.enter(0, kTp, 200, kNotDone);
  CHECK_FALSE(hung.names_nobody(13'000));
  SECTION("the wait is done") { hung.done(0, kTp, 200, 13'000); }
  SECTION("the rank has come") { hung.enter(1, kTp, 13'000, kNotDone); }
  CHECK(hung.names_nobody(14'100));
}

TEST_CASE("a rank that was held up is waited for only from when it resumed") {
  HungRun hung;
  hung.enter(0, kTp, 200, kNotDone);  // waits for rank 1
  hung.enter(2, kDp, 200, kNotDone);  // waits for rank 0
  REQUIRE_FALSE(hung.names_nobody(14'000));
  hung.enter(1, kTp, 14'000, 14'000);
  hung.done(0, kTp, 200, 14'000);
  CHECK(hung.names_nobody(15'100));
  const auto found = hung.alerts(29'000);
  const auto named =
      std::find_if(found.begin(), found.end(), [](const Alert& one) { return one.hang.rank == 0; });
  REQUIRE(named != found.end());
  CHECK(named->hang.waiting == std::vector<Rank>{2});
  CHECK(named->hang.seconds < 14);
}

TEST_CASE("a rank whose records may be missing or come late is not named") {
  HungRun hung;
  hung.enter(0, kTp, 200, kNotDone);
  REQUIRE_FALSE(hung.names_nobody(13'000));
  SECTION("a record of it was lost") {
    messages::Notice notice;
    hung.run().model().accept({0, 1, 1000, MadeRun::kStart + MadeRun::ns(500)}, notice);
  }
  SECTION("it no longer reports its collectives") {
    hung.run().say(1, 500,
                   messages::Notice{messages::Severity::kWarning, messages::kInstrumentOff, "x"});
  }
  SECTION("it evaluates") { hung.run().rank_state(1, 500, messages::State::kEvaluating); }
  SECTION("it has sent its goodbye") { hung.run().say(1, 500, messages::RankGoodbye{}); }
  CHECK(hung.names_nobody(13'000));
}

TEST_CASE("a rank that continues without the others' collective is named, too") {
  HungRun hung;
  hung.enter(0, kTp, 200, kNotDone);
  for (Step step = 1; step < 150; ++step)
    hung.run().step(1, step, 100.0 * static_cast<double>(step + 1), {0, 0, 0, 1, -1, 0, 100});
  const auto found = hung.alerts(15'000);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].rank == 1);
  CHECK(found[0].hang.waiting == std::vector<Rank>{0});
}

TEST_CASE("a rank that continues does not count as waiting") {
  HungRun hung;
  hung.enter(0, kTp, 200, kNotDone);  // and does something else meanwhile
  for (Rank rank = 0; rank < 4; ++rank) {
    for (Step step = 1; step < 150; ++step)
      hung.run().step(rank, step, 100.0 * static_cast<double>(step + 1), {0, 0, 0, 1, -1, 0, 100});
  }
  CHECK(hung.alerts(15'100).empty());
}

TEST_CASE(
    "a second report of a collective, sent when it is done, belongs to the same call as the "
    "first") {
  model::GroupStore store;
  const auto call = [&](Rank rank, std::int64_t number, std::int64_t done_ns) {
    messages::CollectiveReport body;
    body.number = number;
    body.entered_ns = 100 * number;
    body.done_ns = done_ns;
    store.add(rank, body);
  };
  for (Rank rank = 0; rank < 2; ++rank)
    store.add(rank, messages::GroupReport{0, "zero", "", "", "gloo", {0, 1}});
  call(0, 0, -1);
  REQUIRE(store.pending().size() == 1);
  call(1, 0, 70);
  call(0, 0, 80);
  CHECK(store.pending().empty());
  REQUIRE(store.rounds().size() == 1);
  CHECK(store.rounds()[0].arrivals[0].done_ns == 80);
  store.begin(0);
  store.add(0, messages::GroupReport{0, "zero", "", "", "gloo", {0, 1}});
  call(0, 0, -1);
  CHECK(store.pending().size() == 1);
}

}  // namespace
}  // namespace ringside
