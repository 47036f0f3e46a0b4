// Nodes whose logs come late: ranks of unknown state are not called silent.
#include <algorithm>
#include <map>

#include "gui/analysis/alerts/alerts.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "protocol/messages/records.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::analysis;

namespace {

constexpr std::int64_t kStart = 1'000'000'000'000;
constexpr std::int64_t kLateLogSecond = 1'000'000'000;
constexpr std::int64_t kLateLogStepNs = kLateLogSecond / 10;

/// Ranks 0 and 1 on node 0, 2 and 3 on node 1. Every rank trains ten steps in a second.
struct TwoNodes {
  explicit TwoNodes(bool compared = true, std::int64_t node_1_ahead_ns = 90'000 * kLateLogSecond)
      : ahead_ns(node_1_ahead_ns) {
    if (compared) say(0, kNoRank, 0, messages::ClockSync{1, ahead_ns, 40'000});
    for (Rank rank = 0; rank < 4; ++rank) {
      messages::RankHello hello;
      hello.world_size = 4;
      say(rank / 2, rank, 0, hello);
      messages::RankState state;
      state.state = messages::State::kTraining;
      state.about = rank;
      say(rank / 2, rank, 0, state);
    }
  }

  template <class Body>
  void say(Node node, Rank rank, std::int64_t at_ns, const Body& body) {
    const std::int64_t own_ns = kStart + at_ns + (node == 0 ? 0 : ahead_ns);
    model.accept({node, rank, seq[{node, rank}]++, own_ns}, messages::Record(body));
  }
  /// Continues the log of the node up to that second, with steps of the ranks in `training`.
  void log(Node node, std::int64_t until_s, std::initializer_list<Rank> training) {
    Step& done = steps[node];
    for (; done * kLateLogStepNs < until_s * kLateLogSecond; ++done) {
      for (const Rank rank : training) {
        messages::StepReport step;
        step.step = done;
        step.loss = 1;
        step.samples = 1;
        step.step_ns = kLateLogStepNs;
        say(node, rank, (done + 1) * kLateLogStepNs, step);
      }
    }
    say(node, kNoRank, until_s * kLateLogSecond, messages::HostSample{});
  }
  std::vector<Alert> found(AlertKind kind) const {
    AlertLimits limits;
    limits.log_late_s = 90;
    auto all = alerts(model, model.last_ns(), limits);
    std::erase_if(all, [kind](const Alert& alert) { return alert.kind != kind; });
    return all;
  }

  model::RunModel model;
  std::map<std::pair<Node, Rank>, std::uint64_t> seq;
  std::map<Node, Step> steps;
  std::int64_t ahead_ns;
};

}  // namespace

TEST_CASE("A rank whose log comes late is not hung") {
  TwoNodes run;
  run.log(1, 5, {2, 3});
  run.log(0, 20, {0, 1});
  CHECK(run.model.late_ns(0) == 0);
  CHECK(run.model.late_ns(1) == 15 * kLateLogSecond);
  CHECK(log_late_seconds(run.model, 1) == Approx(15));
  CHECK(run.found(AlertKind::kRankHung).empty());
  CHECK(run.found(AlertKind::kRankSilent).empty());
  CHECK(run.found(AlertKind::kLogLate).empty());
  CHECK(silent_seconds(run.model, *run.model.rank(2), run.model.last_ns()) == 0);
  // No rank is named either while node 0 itself is late.
  run.log(1, 45, {2, 3});
  CHECK(run.model.late_ns(0) == 25 * kLateLogSecond);
  CHECK(run.found(AlertKind::kRankHung).empty());
}

TEST_CASE("A rank whose own node shows its hang is named, however late that arrives") {
  TwoNodes run;
  run.log(1, 5, {2, 3});
  run.log(1, 17, {3});
  run.log(0, 40, {0, 1});
  CHECK(run.model.late_ns(1) == 23 * kLateLogSecond);
  const auto hung = run.found(AlertKind::kRankHung);
  REQUIRE(hung.size() == 1);
  CHECK(hung[0].rank == 2);
  CHECK(hung[0].seconds == Approx(12));
}

TEST_CASE("A log that is very late is reported once for its node, and its ranks are not named") {
  TwoNodes run;
  run.log(1, 5, {2, 3});
  run.log(1, 20, {});
  run.log(0, 111, {0, 1});
  const auto late = run.found(AlertKind::kLogLate);
  REQUIRE(late.size() == 1);
  CHECK(late[0].node == 1);
  CHECK(late[0].rank == kNoRank);
  CHECK(late[0].seconds == Approx(91));
  CHECK(key_of(late[0]) == "log_late/1");
  CHECK(run.found(AlertKind::kRankHung).empty());
  CHECK(run.found(AlertKind::kRankSilent).empty());
  // The ranks with current records are known to wait, but not for whom.
  run.log(0, 130, {});
  CHECK(run.found(AlertKind::kRankHung).empty());
  const auto silent = run.found(AlertKind::kRankSilent);
  REQUIRE(silent.size() == 2);
  CHECK(silent[0].rank / 2 == 0);
  CHECK(silent[1].rank / 2 == 0);
  CHECK(run.found(AlertKind::kLogLate).size() == 1);
}

TEST_CASE("R4: while an agent knows of a stopped rank nobody else is called silent") {
  TwoNodes run;
  run.log(1, 5, {2, 3});
  run.log(0, 5, {0, 1});
  run.log(1, 30, {});
  run.log(0, 30, {});
  REQUIRE(run.found(AlertKind::kRankSilent).size() == 4);
  const auto notice = [&](Node node, const char* code, std::int64_t s) {
    run.say(node, kNoRank, s * kLateLogSecond,
            messages::Notice{messages::Severity::kWarning, code, "rank 2 does not run"});
  };
  notice(1, "rank_stopped", 31);
  CHECK(run.found(AlertKind::kRankSilent).empty());
  CHECK(run.found(AlertKind::kNotice).size() == 1);
  notice(0, "stall_over", 32);
  CHECK(run.found(AlertKind::kRankSilent).empty());
  notice(1, "stall_over", 33);
  CHECK(run.found(AlertKind::kRankSilent).size() == 4);
}

TEST_CASE("Scalars beyond the limit of names are counted as left out, not as invalid") {
  TwoNodes run;
  const auto names = static_cast<std::int64_t>(model::ScalarStore::kMostNames) + 5;
  for (std::int64_t i = 0; i < names; ++i)
    run.say(0, 0, i, messages::Scalar{"s" + std::to_string(i), 0, 1.0});
  const auto refused = run.found(AlertKind::kRefusedRecords);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].count == 5);
  CHECK(refused[0].code == kTooManyNames);
}

TEST_CASE("A node whose ranks have ended is not reported as late") {
  TwoNodes run;
  run.log(1, 5, {2, 3});
  run.log(0, 200, {0, 1});
  REQUIRE(run.found(AlertKind::kLogLate).size() == 1);
  run.say(1, 2, 5 * kLateLogSecond, messages::RankGoodbye{});
  CHECK(run.found(AlertKind::kLogLate).size() == 1);
  run.say(1, 3, 5 * kLateLogSecond, messages::RankGoodbye{});
  CHECK(run.found(AlertKind::kLogLate).empty());
  CHECK(log_late_seconds(run.model, 1) == 0);
}

TEST_CASE("Before the clocks of two nodes are compared their difference is not taken for silence") {
  for (const std::int64_t ahead_ns : {-900 * kLateLogSecond, 900 * kLateLogSecond}) {
    TwoNodes run(false, ahead_ns);
    run.log(0, 5, {0, 1});
    run.log(1, 5, {2, 3});
    CHECK_FALSE(run.model.late_ns(1));
    CHECK(run.found(AlertKind::kRankHung).empty());
    CHECK(run.found(AlertKind::kRankSilent).empty());
    CHECK(run.found(AlertKind::kLogLate).empty());
  }
}
