#include "gui/analysis/alerts/blame.h"

#include "gui/model/run_model.h"
#include "tests/support/catch.h"
#include "tests/support/failed_run.h"

using namespace ringside;
using namespace ringside::analysis;
using support::kNodeGone;

namespace {

using Ranks = std::vector<Rank>;

Failures failures_of(const Ranks& failed, const std::string& verdict) {
  model::RunModel model;
  support::play_failure(failed, verdict, model);
  return failures(model);
}

}  // namespace

TEST_CASE("The rank or node that a verdict names is found") {
  CHECK(blame_in("rank 3: killed by SIGKILL after step 9: likely host memory") == Blame{{}, 3});
  CHECK(blame_in("rank 12 could not be started: No such file") == Blame{{}, 12});
  CHECK(blame_in("node 0: rank 0: exit code 1") == Blame{0, 0});
  CHECK(blame_in("node 1 (b-7.cluster): rank 2: killed by SIGABRT") == Blame{1, 2});
  CHECK(blame_in(kNodeGone) == Blame{1, kNoRank});
  CHECK(blame_in("node 1: its agent was restarted") == Blame{1, kNoRank});
  CHECK(blame_in("node 2 (c) does not reach node 0 at 10.0.0.1:4711: rank 3") == Blame{2, kNoRank});
  CHECK(blame_in("node 1 (b") == Blame{1, kNoRank});
}

TEST_CASE("A verdict that does not name one rank or node blames none") {
  for (const char* text : {"", "rendezvous timed out", "rank", "rank ", "rank x", "rank -2: odd",
                           "node ", "node x: rank 1: odd", "ranks 1 and 2", "nodes 1 and 2",
                           "rank 99999999999: odd", "attempt 0 failed; rank 1: exit code 1"}) {
    INFO(text);
    CHECK(blame_in(text) == Blame{});
  }
}

TEST_CASE("If a node is gone its victims are not the cause, and the verdict names the node") {
  const Failures found = failures_of({0, 1}, kNodeGone);
  CHECK(found.ranks == Ranks{0, 1});
  CHECK(found.first == kNoRank);
  CHECK(found.run_says_it);
}

TEST_CASE("A failure that a rank of the lost node had reported comes before the victims") {
  const Failures found = failures_of({0, 1, 2}, kNodeGone);
  CHECK(found.ranks == Ranks{2, 0, 1});
  CHECK(found.first == 2);
  CHECK(found.run_says_it);
}

TEST_CASE("The rank that is the cause comes before victims that reported earlier") {
  const std::string verdict = GENERATE("node 1 (b): rank 3: killed by SIGKILL", "rank 3: exit 1");
  const Failures found = failures_of({1, 0, 3, 2}, verdict);
  CHECK(found.ranks == Ranks{3, 1, 0, 2});
  CHECK(found.first == 3);
  CHECK_FALSE(found.run_says_it);
}

TEST_CASE("A rank that is the cause and has no recorded end is named by the run") {
  const Failures found = failures_of({0, 2}, "node 1 (b): rank 3: killed by SIGKILL");
  CHECK(found.ranks == Ranks{0, 2});
  CHECK(found.first == kNoRank);
  CHECK(found.run_says_it);
}

TEST_CASE("Without a named cause the rank that failed first is listed first") {
  const Failures found = failures_of({2, 0, 1}, "rendezvous timed out");
  CHECK(found.ranks == Ranks{2, 0, 1});
  CHECK(found.first == 2);
  CHECK_FALSE(found.run_says_it);
  CHECK(failures_of({}, "rendezvous timed out").run_says_it);
  CHECK(failures_of({}, kNodeGone).run_says_it);
}

TEST_CASE("Until the run has failed only the time counts") {
  model::RunModel model;
  support::FailedRun run(model);
  CHECK(failures(model).ranks.empty());
  CHECK_FALSE(failures(model).run_says_it);
  run.fail({1, 0});
  messages::RankState ending;
  ending.state = messages::State::kStopping;
  ending.text = "node 1 (b): rank 3: exit code 1; ending the ranks here";
  run.say(0, ending);
  CHECK(failures(model).first == 1);
  CHECK_FALSE(failures(model).run_says_it);
  run.end(kNodeGone);
  CHECK(failures(model).first == kNoRank);
}
