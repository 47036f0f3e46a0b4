// Ranks that leave by themselves, and the conclusion when others wait for them.
#include "tests/trainer/agent/lifecycle_rig.h"

using namespace ringside;
using namespace ringside::agent;
using messages::State;

namespace {

constexpr ExitStatus kLeaveOk{0, 0};
constexpr ExitStatus kLeaveTermed{-1, SIGTERM};

}  // namespace

TEST_CASE(
    "R3: a rank that ended in order while others waited is the root cause, with the likely "
    "reason") {
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
        Case{4, 4, "all-reduce of gradient bucket 0, number 6",
             "rank 1: ended with exit code 0 after step 5 while rank 0 waited in all-reduce of "
             "gradient bucket 0, number 6, after step 5; likely an uneven number of batches per "
             "rank"},
        Case{4, 4, "all_gather",
             "rank 1: ended with exit code 0 after step 5 while rank 0 waited in all_gather, after "
             "step 5; likely an uneven number of batches per rank, or a call that not every rank "
             "makes"},
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

TEST_CASE(
    "R3: a rank that sent its goodbye before a victim failed counts as having left, even if TERM "
    "ended it") {
  LifecycleRig rig(2);
  rig.hear(1, messages::RankGoodbye{});
  rig.exit(0, ExitStatus{1, 0}, 2, "Connection closed by peer");
  rig.exit(1, kLeaveTermed, 2.1);
  rig.survivors({}, 3);
  CHECK(rig.last_of(kNoRank).text.find("rank 1: ended with exit code 0") == 0);
}

namespace {

constexpr const char* kGaveUp =
    "the ranks did not come together; look at the output of the other ranks";

// As reported by a rank that waits for its group before its first step.
void tell(LifecycleRig& rig, Rank rank, State state, const std::string& phase) {
  messages::RankState record;
  record.state = state;
  record.last_collective = phase;
  if (state == State::kFailed) record.text = kGaveUp;
  rig.hear(rank, record);
  rig.hear(rank, messages::RankGoodbye{});
}

}  // namespace

TEST_CASE(
    "R3: among ranks whose group does not form no rank is blamed for being the first to report "
    "it") {
  LifecycleRig rig(2);
  for (const Rank rank : {0, 1})
    tell(rig, rank, State::kFailed, "NCCL's connection of the gradients");
  rig.exit(0, ExitStatus{1, 0}, 1);
  rig.exit(1, ExitStatus{1, 0}, 1);
  rig.survivors({}, 2);
  const std::string text =
      std::string("rank 0 gave up, and which rank is missing is not known: ") + kGaveUp;
  CHECK(rig.all<PostNotice>().at(0).notice.text == text);
  CHECK(rig.last_of(kNoRank).text == text);
  CHECK(rig.life.failure_blames_a_peer());
}

TEST_CASE("R3: only ranks that did not reach the phase in which another waited are named") {
  LifecycleRig rig(6);
  tell(rig, 0, State::kFailed, "NCCL's connection of the gradients");
  rig.exit(0, ExitStatus{1, 0}, 1);
  tell(rig, 1, State::kStopped, "");
  tell(rig, 2, State::kStopped, "the exchange of device names");
  tell(rig, 3, State::kStopped, "NCCL's connection of the gradients");
  tell(rig, 4, State::kStopped, "Gloo's connection of the metrics");
  for (const Rank rank : {1, 2, 3, 4}) rig.exit(rank, kLeaveOk, 2);
  rig.time(32);  // it is killed
  rig.exit(5, ExitStatus{-1, SIGKILL}, 40);
  rig.survivors({}, 41);
  CHECK(rig.last_of(kNoRank).text ==
        std::string("rank 1 (still getting ready), rank 2 (last in the exchange of device names), "
                    "rank 5 (ended without a word) did not come to NCCL's connection of the "
                    "gradients, where rank 0 waited: ") +
            kGaveUp);
  CHECK(rig.last_of(0).text.find("rank 0: exit code 1") == 0);
}

TEST_CASE("R3: a rank that waited in vain for another rank's device names that rank") {
  LifecycleRig rig(2);
  messages::RankState record;
  record.state = State::kFailed;
  record.last_collective = "the exchange of device names";
  record.text = "rank 0 does not know the devices of the others: Timeout waiting for key: device/1";
  rig.hear(0, record);
  rig.exit(0, ExitStatus{1, 0}, 1);
  tell(rig, 1, State::kStopped, "");
  rig.exit(1, kLeaveOk, 2);
  rig.survivors({}, 3);
  CHECK(rig.last_of(kNoRank).text.find("rank 1 (still getting ready) did not come to") == 0);
}

TEST_CASE("R3: advice that mentions other ranks does not make a rank a victim") {
  LifecycleRig rig(1);
  rig.exit(0, ExitStatus{1, 0}, 1, "odd; its advice: \"look at the other ranks\"");
  CHECK_FALSE(rig.life.failure_blames_a_peer());
}

TEST_CASE("R3: an independent failure in backward is not attributed to a collective") {
  LifecycleRig rig(1);
  rig.exit(0, ExitStatus{1, 0}, 1, "CUDA out of memory", "backward");
  rig.survivors({}, 2);
  CHECK(rig.last_of(kNoRank).text == "rank 0: exit code 1: CUDA out of memory");
}

TEST_CASE("R3: a rank that left early is not blamed for another rank's independent failure") {
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

TEST_CASE("R7: when ranks stop by themselves the rank that got the signal reports its sender") {
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
