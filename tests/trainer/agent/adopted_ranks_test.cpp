// Ranks that the only process of a run starts itself.
#include "tests/trainer/agent/lifecycle_rig.h"

using namespace ringside;
using namespace ringside::agent;
using messages::State;

namespace {

constexpr std::int64_t kAdoptedSecond = kLifeSecond;

/// A script with three ranks, each of which has trained five steps.
LifecycleRig script_of_three() {
  LifecycleRig rig(1, false);
  rig.life.adopt(3);
  for (const Rank rank : {0, 1, 2}) {
    rig.hear(rank, messages::RankHello{});
    messages::StepReport step;
    step.step = 4;
    rig.hear(rank, step);
  }
  return rig;
}

void part_with(LifecycleRig& rig, Rank rank, bool content, double at_s) {
  if (content) rig.hear(rank, messages::RankGoodbye{});
  rig.life.on_adopted_end(rank, content, static_cast<std::int64_t>(at_s * 1e9));
  rig.collect();
}

}  // namespace

TEST_CASE(
    "adopted ranks finish with their script, whose exit code is only that of the first rank") {
  auto rig = script_of_three();
  for (const Rank rank : {0, 1, 2}) part_with(rig, rank, true, 1);
  CHECK(rig.last_of(1).state == State::kFinished);
  CHECK(rig.life.stage() == Stage::kRunning);
  rig.exit(0, {0, 0}, 2);
  rig.survivors({}, 3);
  CHECK(rig.last_of(kNoRank).state == State::kFinished);
  CHECK(rig.last_of(0).exit_code == 0);
  CHECK(rig.last_of(2).state == State::kFinished);
  CHECK(rig.last_of(2).exit_code == -1);
  CHECK(rig.last_of(2).last_step == 4);
}

TEST_CASE(
    "an adopted rank that reports its error is the cause, not those that lost the connection to "
    "it") {
  auto rig = script_of_three();
  rig.report(1, State::kFailed, "ValueError: as asked", 1 * kAdoptedSecond);
  rig.report(0, State::kFailed, "RuntimeError: Connection closed by peer", 2 * kAdoptedSecond);
  part_with(rig, 1, true, 2);
  CHECK(rig.life.stage() == Stage::kRunning);  // the script may recover from it
  rig.exit(0, {1, 0}, 3, "ProcessRaisedException: process 1 terminated");
  rig.survivors({}, 4);
  CHECK(rig.last_of(kNoRank).text == "rank 1: failed after step 5: ValueError: as asked");
  CHECK(rig.last_of(1).state == State::kFailed);
  CHECK(rig.last_of(0).state == State::kFailed);
  CHECK(rig.last_of(2).state == State::kStopped);
  CHECK(rig.last_of(2).text == "ended with the script that started it");
}

TEST_CASE("a failed adopted rank fails the run even if its script exits with code 0") {
  auto rig = script_of_three();
  rig.report(2, State::kFailed, "ValueError: as asked", 1 * kAdoptedSecond);
  for (const Rank rank : {0, 1, 2}) part_with(rig, rank, true, 2);
  rig.exit(0, {0, 0}, 3);
  rig.survivors({}, 4);
  CHECK(rig.last_of(kNoRank).state == State::kFailed);
  CHECK(rig.last_of(kNoRank).text == "rank 2: failed after step 5: ValueError: as asked");
}

TEST_CASE("an adopted rank that vanished is named as the cause only if its script fails") {
  for (const int code : {0, 1}) {
    auto rig = script_of_three();
    part_with(rig, 1, false, 1);
    rig.exit(0, {code, 0}, 3, "RuntimeError: Connection closed by peer");
    rig.survivors({}, 4);
    CHECK(rig.last_of(kNoRank).state == (code == 0 ? State::kFinished : State::kFailed));
    CHECK(rig.last_of(kNoRank).text ==
          (code == 0 ? "" : "rank 1: failed after step 5: its process ended without a word"));
  }
}

TEST_CASE("the failure of an adopted rank that vanished says what its script says of it") {
  auto rig = script_of_three();
  part_with(rig, 1, false, 1);
  rig.exit(0, {1, 0}, 3, "ProcessExitedException: process 1 terminated with signal SIGKILL");
  rig.survivors({}, 4);
  CHECK(rig.last_of(kNoRank).text ==
        "rank 1: failed after step 5: its process ended without a word; the script that started "
        "it: ProcessExitedException: process 1 terminated with signal SIGKILL");
}

TEST_CASE("an adopted rank whose goodbye arrives late is not the cause") {
  auto rig = script_of_three();
  part_with(rig, 1, false, 1);
  rig.hear(1, messages::RankGoodbye{});
  rig.exit(0, {1, 0}, 3, "KeyError: 'x'");
  rig.survivors({}, 4);
  CHECK(rig.last_of(kNoRank).text.starts_with("rank 0: "));
}

TEST_CASE("a stop request is sent to every adopted rank and makes none of them fail") {
  auto rig = script_of_three();
  rig.stop(false, 1);
  CHECK(rig.all<AskRank>().size() == 3);
  rig.report(1, State::kFailed, "KeyboardInterrupt: ", 2 * kAdoptedSecond);
  rig.time(11);
  CHECK(rig.signals(0, SIGTERM) == 1);
  rig.exit(0, {-1, SIGTERM}, 12);
  rig.survivors({}, 13);
  CHECK(rig.last_of(kNoRank).state == State::kStopped);
  CHECK(rig.last_of(1).state == State::kStopped);
}
