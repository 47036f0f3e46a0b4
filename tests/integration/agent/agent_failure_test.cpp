// Ranks that die or hang: which one is named, when, and what happens to the others.
#include <csignal>
#include <fstream>
#include <sstream>

#include "protocol/base/clock.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "trainer/agent/processes/exit_status.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

// Time of the agent's notice, on the clock of mono_now_ns().
std::int64_t notice_ns(const runlog::RunFolder& run, const std::string& code) {
  for (const auto& entry : records_of(run).entries) {
    const auto* notice = std::get_if<messages::Notice>(&entry.record);
    if (notice != nullptr && notice->code == code) return entry.stamp.mono_ns;
  }
  return 0;
}

// Seconds from a rank's death, as recorded by the rank itself, to the agent's verdict about it.
double verdict_delay_s(const runlog::RunFolder& run, const std::filesystem::path& death) {
  std::int64_t died_ns = 0;
  std::istringstream(text_of(death)) >> died_ns;
  const std::int64_t verdict_ns = notice_ns(run, "rank_failed");
  REQUIRE(died_ns > 0);
  REQUIRE(verdict_ns > 0);
  return static_cast<double>(verdict_ns - died_ns) * 1e-9;
}

}  // namespace

TEST_CASE(
    "R3: for each rank and each way to die, the dead rank is named within a second and the others "
    "end") {
  const Rank dead = GENERATE(0, 1, 2, 3);
  const std::string way = GENERATE("--signal=9", "--signal=11", "--code=3");
  AgentRig rig;
  const bool by_signal = way.starts_with("--signal");
  const auto gate = rig.path() / "gate";
  const auto run =
      rig.make_run(4, {"--steps=1000000", way, by_signal ? "--signal-at=100" : "--exit-at=100",
                       "--only-rank=" + std::to_string(dead), "--gate=" + gate.string(),
                       "--died=" + rig.path().string()});
  const pid_t agent = rig.start({run});
  rank_pids(run, 4);
  std::ofstream(gate) << "all are there";
  CHECK(rig.wait_exit(agent, 8) == 1);
  const auto verdict = last_state(run, kNoRank);
  CHECK(verdict->state == State::kFailed);
  const agent::ExitStatus status =
      by_signal ? agent::ExitStatus{-1, std::stoi(way.substr(9))} : agent::ExitStatus{3, 0};
  CHECK(verdict->text.find("rank " + std::to_string(dead) + ": " + agent::describe(status)) == 0);
  CHECK(verdict_delay_s(run, rig.path() / ("died_" + std::to_string(dead))) < 1);
  for (Rank rank = 0; rank < 4; ++rank) {
    CHECK(text_of(run.rank_dir(0, rank) / "stdout")
              .starts_with("rank " + std::to_string(rank) + " starts\n"));
    CHECK(last_state(run, rank)->state == (rank == dead ? State::kFailed : State::kStopped));
  }
  CHECK(processes_with(run.path().string()).empty());
}

TEST_CASE("R3: of ten ranks killed from outside, each is named and its log is complete") {
  for (int round = 0; round < 10; ++round) {
    AgentRig rig;
    const auto run = rig.make_run(3, {"--steps=1000000", "--step-ms=1"});
    const pid_t agent = rig.start({run});
    const auto ranks = rank_pids(run, 3);
    const Rank dead = round % 3;
    REQUIRE(wait_for_steps(run, dead, static_cast<std::size_t>(1 + 7 * round), 10));
    ::kill(ranks[static_cast<std::size_t>(dead)], SIGKILL);
    CHECK(rig.wait_exit(agent, 5) == 1);
    CHECK(last_state(run, kNoRank)
              ->text.find("rank " + std::to_string(dead) + ": killed by SIGKILL") == 0);
    CHECK(processes_with(run.path().string()).empty());
  }
}

TEST_CASE("R3: the reason that a rank reports is quoted") {
  AgentRig rig;
  const auto run = rig.make_run(
      2, {"--steps=1000000", "--fail-at=5", "--text=no such file: /data/x", "--only-rank=1"});
  CHECK(rig.run({run}, 8) == 1);
  CHECK(last_state(run, kNoRank)->text ==
        "rank 1: exit code 1 after step 5: no such file: /data/x");
}

TEST_CASE("R3: a custom program's error file is quoted") {
  AgentRig rig;
  const auto run = rig.make_run(1, {}, [](messages::RunSpec& spec) {
    spec.program.argv = {
        "sh", "-c",
        "printf '%s' '{\"message\": {\"message\": \"ValueError: bad shape\\nmore\"}}' > "
        "$TORCHELASTIC_ERROR_FILE; exit 7"};
  });
  CHECK(rig.run({run}, 8) == 1);
  CHECK(last_state(run, kNoRank)->text ==
        "rank 0: exit code 7: ValueError: bad shape, then \"more\"");
}

TEST_CASE("R12: without evidence memory is not mentioned") {
  AgentRig rig;
  const auto run = rig.make_run(1, {"--steps=100", "--signal-at=30", "--signal=9"});
  CHECK(rig.run({run}, 8) == 1);
  // The rank's records of its last milliseconds may be lost, on a busy machine all of them: the
  // sentence names the last recorded step, if there is one.
  const auto ended = last_state(run, 0);
  REQUIRE(ended.has_value());
  CHECK(ended->last_step <= 29);
  CHECK(last_state(run, kNoRank)->text ==
        "rank 0: killed by SIGKILL" +
            (ended->last_step < 0 ? std::string()
                                  : " after step " + std::to_string(ended->last_step + 1)));
}

TEST_CASE("R4: a paused rank is named at once, and so is its resuming") {
  AgentRig rig;
  const auto run = rig.make_run(3, {"--steps=1000000"});
  rig.start({run});
  const auto ranks = rank_pids(run, 3);
  REQUIRE(wait_for_steps(run, 1, 20, 10));
  ::kill(ranks[1], SIGSTOP);
  REQUIRE(wait_until(5, [&] { return notice_with(run, "rank_stopped").has_value(); }));
  CHECK(notice_with(run, "rank_stopped")->text.find("rank 1 does not run, last step ") == 0);
  ::kill(ranks[1], SIGCONT);
  CHECK(wait_until(5, [&] { return notice_with(run, "stall_over").has_value(); }));
  CHECK_FALSE(notice_with(run, "stall"));
}

TEST_CASE("R4: a program that is paused before it has sent anything is named at once") {
  AgentRig rig;
  const auto run = rig.make_run(2, {}, [](messages::RunSpec& spec) {
    spec.program.argv = {"sh", "-c", "[ $RANK = 0 ] || kill -STOP $$; exec sleep 1000"};
  });
  rig.start({run});
  REQUIRE(wait_until(10, [&] { return notice_with(run, "rank_stopped").has_value(); }));
  CHECK(notice_with(run, "rank_stopped")->text.find("rank 1 does not run, ") == 0);
}
