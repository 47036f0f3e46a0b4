// Ranks that leave by themselves: what is made of it when others wait for them.
#include "tests/trainer/agent/lifecycle_rig.h"

using namespace ringside;
using namespace ringside::agent;
using messages::State;

namespace {

constexpr ExitStatus kLeaveOk{0, 0};
constexpr ExitStatus kLeaveTermed{-1, SIGTERM};

}  // namespace

TEST_CASE(
    "R3: a rank that left the others in good order is the root cause, with its likely reason") {
  struct Case {
    Step left_after;
    Step victim_after;
    const char* collective;
    const char* verdict;
  };
  for (const Case& one :
       {Case{4, 4, "backward",
             "rank 1: ended with exit code 0 after step 5 while rank 0 waited in backward, after "
             "step 5; likely an uneven number of batches per rank"},
        Case{11, 11, "barrier",
             "rank 1: ended with exit code 0 after step 12 while rank 0 waited in barrier, after "
             "step 12; likely a barrier that not every rank calls"},
        Case{-1, 2, "",
             "rank 1: ended with exit code 0 before its first step while rank 0 waited for it, "
             "after step 3; likely a program that not every rank runs alike"}}) {
    for (const bool by_watchdog : {false, true}) {
      LifecycleRig rig(2);
      const auto step = [&](Rank rank, Step number) {
        messages::StepReport report;
        report.step = number;
        if (number >= 0) rig.hear(rank, report);
      };
      step(0, one.victim_after);
      step(1, one.left_after);
      rig.exit(1, kLeaveOk, 1);
      rig.exit(0, by_watchdog ? ExitStatus{-1, SIGABRT} : ExitStatus{1, 0}, 2,
               by_watchdog ? "Watchdog caught collective operation timeout"
                           : "Connection closed by peer [127.0.0.1]:1234",
               one.collective);
      rig.survivors({}, 3);
      CHECK(rig.last_of(1).state == State::kFinished);
      CHECK(rig.last_of(0).state == State::kFailed);
      CHECK(rig.last_of(kNoRank).state == State::kFailed);
      CHECK(rig.last_of(kNoRank).text == one.verdict);
      CHECK(rig.life.failure()->text == one.verdict);
      CHECK_FALSE(rig.life.failure_blames_a_peer());
      CHECK(rig.all<PostNotice>().at(0).notice.text == one.verdict);
    }
  }
}

TEST_CASE("R3: a rank that said goodbye before a victim failed had left, though TERM ended it") {
  LifecycleRig rig(2);
  rig.hear(1, messages::RankGoodbye{});
  rig.exit(0, ExitStatus{1, 0}, 2, "Connection closed by peer");
  rig.exit(1, kLeaveTermed, 2.1);
  rig.survivors({}, 3);
  CHECK(rig.last_of(kNoRank).text.find("rank 1: ended with exit code 0") == 0);
}

TEST_CASE("R3: an advice that speaks of other ranks makes no victim") {
  LifecycleRig rig(1);
  rig.exit(0, ExitStatus{1, 0}, 1, "odd; its advice: \"look at the other ranks\"");
  CHECK_FALSE(rig.life.failure_blames_a_peer());
}

TEST_CASE("R3: a failure of its own in backward is not one of a collective") {
  LifecycleRig rig(1);
  rig.exit(0, ExitStatus{1, 0}, 1, "CUDA out of memory", "backward");
  rig.survivors({}, 2);
  CHECK(rig.last_of(kNoRank).text == "rank 0: exit code 1: CUDA out of memory");
}

TEST_CASE("R3: who left early is not blamed for a failure of its own kind") {
  for (const bool further : {false, true}) {
    LifecycleRig rig(2);
    messages::StepReport step;
    step.step = 9;
    if (further) rig.hear(1, step);
    rig.exit(1, kLeaveOk, 1);
    rig.exit(0, ExitStatus{1, 0}, 2, further ? "Connection closed by peer" : "no such file");
    rig.survivors({}, 3);
    CHECK(rig.last_of(kNoRank).text.find("rank 0: exit code 1") == 0);
  }
}

TEST_CASE("R7: of ranks that stop by themselves the one that a signal asked says whose it was") {
  LifecycleRig rig(2);
  rig.report(0, State::kStopped, "stopped on request after 3 steps");
  rig.report(1, State::kStopped,
             "stopped on request after 3 steps, asked by SIGTERM from pid 7 (kill), user x");
  for (const Rank rank : {0, 1}) rig.exit(rank, kLeaveOk, 2);
  rig.survivors({}, 2);
  CHECK(rig.last_of(kNoRank).state == State::kStopped);
  CHECK(rig.last_of(kNoRank).text ==
        "the ranks stopped in order by themselves; rank 1 was asked by SIGTERM from pid 7 (kill), "
        "user x");
}
