#include "trainer/agent/lifecycle.h"

#include "tests/trainer/agent/lifecycle_rig.h"

using namespace ringside;
using namespace ringside::agent;
using messages::RankState;
using messages::State;

namespace {

constexpr std::int64_t kSecond = kLifeSecond;

constexpr ExitStatus kOk{0, 0};
constexpr ExitStatus kCode3{3, 0};
constexpr ExitStatus kKilled{-1, SIGKILL};
constexpr ExitStatus kTermed{-1, SIGTERM};

}  // namespace

TEST_CASE("exit statuses have names") {
  CHECK(describe(kOk) == "ended in order");
  CHECK(describe(kCode3) == "exit code 3");
  CHECK(describe(kKilled) == "killed by SIGKILL");
  CHECK(describe(ExitStatus{-1, SIGSEGV}) == "killed by SIGSEGV");
  CHECK(signal_name(50) == "signal 50");
}

TEST_CASE("a successful run passes through its states and finishes") {
  LifecycleRig rig(2);
  CHECK(rig.last_of(kNoRank).state == State::kStarting);
  rig.report(0, State::kTraining);
  CHECK(rig.last_of(kNoRank).state == State::kTraining);
  rig.report(1, State::kEvaluating);
  CHECK(rig.last_of(kNoRank).state == State::kTraining);
  rig.report(0, State::kEvaluating);
  CHECK(rig.last_of(kNoRank).state == State::kEvaluating);
  messages::StepReport step;
  step.step = 41;
  rig.hear(1, step);
  rig.exit(0, kOk);
  CHECK_FALSE(rig.life.over());
  rig.exit(1, kOk);
  CHECK(rig.life.stage() == Stage::kSweeping);
  rig.survivors({}, 1);
  CHECK(rig.life.over());
  CHECK(rig.last_of(0).state == State::kFinished);
  CHECK(rig.last_of(0).exit_code == 0);
  CHECK(rig.last_of(0).signal == -1);
  CHECK(rig.last_of(kNoRank).state == State::kFinished);
  CHECK(rig.last_of(kNoRank).last_step == 41);
}

TEST_CASE("a program without telemetry is shown as running after a while") {
  LifecycleRig rig(1, false);
  rig.time(4.9);
  CHECK(rig.last_of(kNoRank).state == State::kStarting);
  rig.time(5);
  CHECK(rig.last_of(kNoRank).state == State::kTraining);
  CHECK(rig.last_of(kNoRank).text.find("no telemetry") != std::string::npos);
  rig.report(0, State::kTraining);
  CHECK(rig.last_of(kNoRank).text.empty());
  rig.exit(0, kOk);
  rig.survivors({}, 6);
  CHECK(rig.last_of(kNoRank).state == State::kFinished);
}

TEST_CASE(
    "R3: a dead rank is named at once, and the others get TERM, then KILL after the grace period") {
  LifecycleRig rig(3, true, 7);
  messages::StepReport step;
  step.step = 12;
  rig.hear(1, step);
  rig.exit(1, kKilled, 2, "evidence of the kernel");
  CHECK(rig.last_of(1).state == State::kFailed);
  CHECK(rig.last_of(1).signal == SIGKILL);
  CHECK(rig.last_of(1).exit_code == -1);
  const auto notices = rig.all<PostNotice>();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].notice.code == "rank_failed");
  CHECK(notices[0].notice.text ==
        "rank 1: killed by SIGKILL after step 13: evidence of the kernel");
  CHECK(rig.last_of(kNoRank).state == State::kStopping);
  CHECK(rig.signals(0, SIGTERM) == 1);
  CHECK(rig.signals(2, SIGTERM) == 1);
  rig.time(8.9);
  CHECK(rig.signals(0, SIGKILL) == 0);
  rig.time(9);
  CHECK(rig.signals(0, SIGKILL) == 1);
  CHECK(rig.signals(2, SIGKILL) == 1);
  rig.exit(0, kKilled, 9.1);
  rig.exit(2, kKilled, 9.1);
  rig.survivors({}, 9.2);
  CHECK(rig.last_of(0).state == State::kStopped);
  CHECK(rig.last_of(kNoRank).state == State::kFailed);
  CHECK(rig.last_of(kNoRank).text ==
        "rank 1: killed by SIGKILL after step 13: evidence of the kernel");
}

TEST_CASE(
    "R3: any rank with any kind of death is found as the root cause, although its victims fail "
    "too") {
  const Rank dead = GENERATE(0, 1, 2, 3);
  const ExitStatus status = GENERATE(as<ExitStatus>{}, kKilled, kCode3, ExitStatus{-1, SIGSEGV});
  LifecycleRig rig(4);
  rig.exit(dead, status, 1);
  for (Rank rank = 0; rank < 4; ++rank) {
    if (rank == dead) continue;
    rig.report(rank, State::kFailed, "Connection closed by peer [127.0.0.1]:1234", kSecond);
    rig.exit(rank, ExitStatus{1, 0}, 1.1);
  }
  rig.survivors({}, 1.2);
  CHECK(rig.last_of(kNoRank).state == State::kFailed);
  CHECK(rig.last_of(kNoRank).text == "rank " + std::to_string(dead) + ": " + describe(status));
}

TEST_CASE("R3: a victim that is reported first is not the root cause in the end") {
  LifecycleRig rig(2);
  rig.report(0, State::kFailed, "Connection reset by peer", kSecond);
  rig.exit(0, ExitStatus{1, 0}, 1.01);
  rig.exit(1, kKilled, 1.02);
  rig.survivors({}, 1.1);
  CHECK(rig.last_of(kNoRank).text == "rank 1: killed by SIGKILL");
}

TEST_CASE(
    "R3: the rank that first reported its own error is the root cause, even if it ends last") {
  LifecycleRig rig(2);
  rig.report(1, State::kFailed, "cannot read /data/x: no such file", kSecond);
  rig.report(0, State::kFailed, "Connection closed by peer", kSecond + 5);
  rig.exit(0, ExitStatus{1, 0}, 1.1);
  rig.exit(1, ExitStatus{1, 0}, 1.3);
  rig.survivors({}, 1.4);
  CHECK(rig.last_of(kNoRank).text == "rank 1: exit code 1: cannot read /data/x: no such file");
}

TEST_CASE("R7: a stop first asks, then sends TERM, then KILL after the grace period") {
  LifecycleRig rig(2);
  rig.stop(false, 1);
  CHECK(rig.all<AskRank>().size() == 2);
  CHECK(rig.signals(0, SIGTERM) == 0);
  CHECK(rig.last_of(kNoRank).state == State::kStopping);
  rig.time(10.9);
  CHECK(rig.signals(0, SIGTERM) == 0);
  rig.time(11);
  CHECK(rig.signals(0, SIGTERM) == 1);
  rig.time(40.9);
  CHECK(rig.signals(0, SIGKILL) == 0);
  rig.time(41);
  CHECK(rig.signals(0, SIGKILL) == 1);
  rig.exit(0, kKilled, 41.1);
  rig.exit(1, kKilled, 41.1);
  rig.survivors({}, 41.2);
  CHECK(rig.last_of(kNoRank).state == State::kStopped);
  CHECK(rig.last_of(kNoRank).text == "asked by SIGINT");
  CHECK(rig.last_of(0).text == "killed by SIGKILL, ended by the agent to stop the run");
}

TEST_CASE("R7: a rank whose first record arrives after the stop is asked then") {
  LifecycleRig rig(2, false);
  rig.hear(0, messages::RankHello{});
  rig.stop(false, 1);
  CHECK(rig.all<AskRank>().size() == 2);  // rank 1 is not connected yet and cannot receive it
  CHECK(rig.signals(1, SIGTERM) == 1);
  rig.hear(0, messages::StepReport{});
  CHECK(rig.all<AskRank>().size() == 2);
  rig.hear(1, messages::RankHello{});
  REQUIRE(rig.all<AskRank>().size() == 3);
  CHECK(rig.all<AskRank>().back().rank == 1);
}

TEST_CASE(
    "R7: ranks that stop on request end a stopped run, and ranks that had finished end a finished "
    "one") {
  const State said = GENERATE(State::kStopped, State::kFinished);
  LifecycleRig rig(2);
  rig.stop(false, 1);
  for (Rank rank = 0; rank < 2; ++rank) {
    rig.report(rank, said);
    rig.exit(rank, kOk, 2);
  }
  rig.survivors({}, 2);
  CHECK(rig.last_of(kNoRank).state == said);
}

TEST_CASE("R7: a rank that crashes while it was only asked to stop has failed") {
  LifecycleRig rig(2);
  rig.stop(false, 1);
  rig.exit(0, ExitStatus{-1, SIGSEGV}, 2);
  CHECK(rig.signals(1, SIGTERM) == 1);
  rig.exit(1, kTermed, 2.1);
  rig.survivors({}, 2.2);
  CHECK(rig.last_of(kNoRank).state == State::kFailed);
  CHECK(rig.last_of(kNoRank).text == "rank 0: killed by SIGSEGV");
}

TEST_CASE("R7: a rank whose stop failed has failed, and one that only lost a connection has not") {
  for (const bool victim : {false, true}) {
    LifecycleRig rig(2);
    rig.stop(false, 1);
    rig.time(11);
    CHECK(rig.signals(0, SIGTERM) == 1);
    rig.report(0, State::kFailed,
               victim ? "Connection closed by peer" : "nothing was saved: no space left", 12);
    rig.exit(0, {1, 0}, 12);
    rig.exit(1, kOk, 12);
    rig.survivors({}, 13);
    CHECK(rig.last_of(kNoRank).state == (victim ? State::kStopped : State::kFailed));
    if (!victim) CHECK(rig.last_of(kNoRank).text.find("nothing was saved") != std::string::npos);
  }
}

TEST_CASE("R7: ranks that a cluster signals along with their agent have not failed") {
  const int signal = GENERATE(SIGTERM, SIGINT, SIGHUP);
  LifecycleRig rig(2);
  rig.stop(false, 1);
  rig.exit(0, {-1, signal}, 1.01);
  rig.exit(1, {-1, signal}, 1.02);
  rig.survivors({}, 1.03);
  CHECK(rig.last_of(0).state == State::kStopped);
  CHECK(rig.last_of(kNoRank).state == State::kStopped);
  // Without a stop the same signal is a failure.
  LifecycleRig other(2);
  other.exit(0, {-1, signal}, 1);
  CHECK(other.last_of(0).state == State::kFailed);
}

TEST_CASE("R3: a collective from before the last step is not reported as the last one") {
  LifecycleRig rig(1);
  RankState state;
  state.state = State::kTraining;
  state.last_collective = "broadcast of the first weights";
  rig.hear(0, state);
  const bool stepped = GENERATE(false, true);
  if (stepped) rig.hear(0, messages::StepReport{});
  rig.exit(0, {-1, SIGKILL});
  CHECK(rig.last_of(0).last_collective == (stepped ? "" : "broadcast of the first weights"));
  CHECK(rig.last_of(0).text ==
        (stepped ? "rank 0: killed by SIGKILL after step 1"
                 : "rank 0: killed by SIGKILL, last collective broadcast of the first weights"));
}

TEST_CASE("R4: a failure because of a missing rank says which rank was silent before") {
  LifecycleRig rig(2);
  rig.life.on_stall("rank 0 has not arrived");
  rig.report(1, State::kFailed, "Wait timeout", 3);
  rig.exit(1, {1, 0}, 3);
  CHECK(rig.life.failure()->text ==
        "rank 1: exit code 1: Wait timeout; before that: rank 0 has not arrived");
  LifecycleRig other(2);
  other.life.on_stall("rank 0 has not arrived");
  other.life.on_stall("");
  other.exit(1, kCode3, 3, "no such file");
  CHECK(other.life.failure()->text == "rank 1: exit code 3: no such file");
}

TEST_CASE(
    "R7: programs without telemetry get TERM at once, and any exit code then counts as stopped") {
  LifecycleRig rig(2, false);
  rig.stop(false, 1);
  CHECK(rig.signals(0, SIGTERM) == 1);
  rig.exit(0, kTermed, 1.1);
  rig.exit(1, ExitStatus{143, 0}, 1.1);
  rig.survivors({}, 1.2);
  CHECK(rig.last_of(kNoRank).state == State::kStopped);
}

TEST_CASE("R7: a second stop request, or 'now', kills without a grace period") {
  LifecycleRig rig(2);
  rig.stop(false, 1);
  rig.stop(true, 1.5);
  CHECK(rig.signals(0, SIGKILL) == 1);
  rig.exit(0, kKilled, 1.6);
  rig.exit(1, kKilled, 1.6);
  rig.survivors({}, 1.6);
  CHECK(rig.last_of(kNoRank).state == State::kStopped);
}

TEST_CASE("R7: a process that does not die is reported as such, never as stopped") {
  LifecycleRig rig(2);
  rig.stop(true, 1);
  rig.exit(0, kKilled, 1.1);
  rig.time(5.9);
  CHECK_FALSE(rig.life.over());
  rig.time(6);
  CHECK(rig.life.over());
  CHECK(rig.last_of(1).state == State::kDidNotDie);
  CHECK(rig.last_of(0).state == State::kStopped);
  CHECK(rig.last_of(kNoRank).state == State::kDidNotDie);
  CHECK(rig.last_of(kNoRank).text.find("rank 1 did not die") == 0);
}

TEST_CASE("R1: helpers of a rank that has ended get TERM, then KILL, and are then reported") {
  LifecycleRig rig(1);
  rig.exit(0, kOk, 1);
  CHECK(rig.signals(0, SIGTERM) == 1);
  rig.survivors({55}, 1);
  rig.time(1.5);
  CHECK(rig.all<KillSurvivors>().empty());
  rig.survivors({55}, 1.5);
  rig.time(2);
  CHECK(rig.all<KillSurvivors>().size() == 1);
  SECTION("they end") {
    rig.survivors({}, 2.1);
    CHECK(rig.last_of(kNoRank).state == State::kFinished);
  }
  SECTION("they do not end") {
    rig.survivors({55}, 7);
    CHECK(rig.life.over());
    CHECK(rig.last_of(kNoRank).state == State::kDidNotDie);
    CHECK(rig.last_of(kNoRank).text.find("process 55 did not die") == 0);
  }
}

TEST_CASE("a rank that cannot be started ends those that were started") {
  Lifecycle life(3, 0, {});
  life.on_spawn_failed(1, "no such file: trainer", 5);
  const auto actions = life.take_actions();
  CHECK(std::any_of(actions.begin(), actions.end(), [](const Action& action) {
    const auto* signal = std::get_if<SignalGroup>(&action);
    return signal != nullptr && signal->rank == 0 && signal->signal == SIGTERM;
  }));
  CHECK_FALSE(life.is_running(2));
  life.on_exit(0, kTermed, {}, 6);
  life.on_survivors({}, 7);
  CHECK(life.over());
  CHECK(life.run_state() == State::kFailed);
}

TEST_CASE("ranks that stop by themselves end a stopped run, not a finished one") {
  LifecycleRig rig(1);
  rig.report(0, State::kStopped);
  rig.exit(0, kOk, 1);
  rig.survivors({}, 1);
  CHECK(rig.last_of(kNoRank).state == State::kStopped);
}

TEST_CASE("a rank that reports a failure but exits with code 0 has failed") {
  LifecycleRig rig(1);
  rig.report(0, State::kFailed, "loss is not finite");
  rig.exit(0, kOk, 1);
  rig.survivors({}, 1);
  CHECK(rig.last_of(kNoRank).state == State::kFailed);
  CHECK(rig.last_of(kNoRank).text == "rank 0: failed: loss is not finite");
}

TEST_CASE("ranks of a node other than the first keep their numbers") {
  Lifecycle life(2, 0, {}, 6);
  life.on_started(true, 0);
  life.on_record({1, 6, 0, 0}, messages::RankHello{});
  life.on_record({1, 2, 0, 0}, messages::RankHello{});  // of node 0, and thus ignored
  CHECK(life.is_running(7));
  life.on_exit(7, kCode3, {}, kSecond);
  REQUIRE(life.failure());
  CHECK(life.failure()->text == "rank 7: exit code 3");
  CHECK_FALSE(life.failure_blames_a_peer());
  bool termed = false;
  for (const Action& action : life.take_actions()) {
    const auto* signal = std::get_if<SignalGroup>(&action);
    termed = termed || (signal != nullptr && signal->rank == 6 && signal->signal == SIGTERM);
  }
  CHECK(termed);
}

TEST_CASE("a failure on another node ends the ranks of this node, which did not fail") {
  LifecycleRig rig(2);
  rig.report(0, State::kTraining);
  rig.life.on_failed_elsewhere("node 1: rank 2: exit code 3", kSecond);
  rig.collect();
  CHECK(rig.last_of(kNoRank).state == State::kStopping);
  CHECK(rig.last_of(kNoRank).text == "node 1: rank 2: exit code 3; ending the ranks here");
  CHECK(rig.signals(0, SIGTERM) == 1);
  rig.exit(0, kTermed);
  SECTION("they end") {
    rig.exit(1, kTermed);
    rig.survivors({}, 2);
    CHECK_FALSE(rig.life.failure());
    CHECK(rig.last_of(kNoRank).state == State::kStopped);
    CHECK(rig.last_of(kNoRank).text == "node 1: rank 2: exit code 3");
  }
  SECTION("one was a victim") {
    rig.report(1, State::kFailed, "Connection closed by peer");
    rig.exit(1, {1, 0});
    rig.survivors({}, 2);
    REQUIRE(rig.life.failure());
    CHECK(rig.life.failure_blames_a_peer());
    CHECK(rig.last_of(kNoRank).state == State::kFailed);
  }
}
