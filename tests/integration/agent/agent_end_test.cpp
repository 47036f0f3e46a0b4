// However the agent ends, no process of a run stays alive.
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "protocol/wire/control_client.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

TEST_CASE(
    "R1: whatever signal ends the agent, no rank and no child of one is alive after five seconds") {
  const int signal = GENERATE(SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGKILL);
  for (int round = 0; round < 3; ++round) {
    AgentRig rig;
    const std::vector<std::string> flags = {"--steps=1000000", "--ignore-term", "--ignore-ask",
                                            round % 2 == 0 ? "--helper=group" : "--helper=session",
                                            "--only-rank=" + std::to_string(round)};
    const auto run = rig.make_run(4, flags);
    const pid_t agent = rig.start({run});
    rank_pids(run, 4);
    // The seven processes are the ranks, a child of one, the agent and its reaper.
    REQUIRE(wait_until(5, [&] { return processes_with(run.path().string()).size() == 7; }));
    ::kill(agent, signal);
    CHECK(holds_within(5, [&] { return ranks_and_helpers(run).empty(); }));
    CHECK(wait_until(5, [&] { return processes_with(run.path().string()).empty(); }));
    const auto ended = rig.wait_exit(agent, 5);
    REQUIRE(ended);
    CHECK(*ended == (signal == SIGKILL ? -SIGKILL : 0));
    if (signal != SIGKILL) CHECK(last_state(run, kNoRank)->state == State::kStopped);
  }
}

TEST_CASE("R1: ranks that watch nothing are killed together with a killed agent") {
  AgentRig rig;
  const auto run = rig.make_run(2, {}, [](messages::RunSpec& spec) {
    spec.program.argv = {"sh", "-c", "trap '' TERM; sleep 1000 & while :; do sleep 1000; done"};
  });
  const pid_t agent = rig.start({run});
  REQUIRE(wait_until(10, [&] { return processes_with(run.path().string()).size() >= 8; }));
  ::kill(agent, SIGKILL);
  CHECK(holds_within(5, [&] { return ranks_and_helpers(run).empty(); }));
  CHECK(wait_until(5, [&] { return processes_with(run.path().string()).empty(); }));
}

TEST_CASE("R1: an agent that is killed together with its reaper leaves no rank") {
  AgentRig rig;
  // No process of this run watches for the end of the agent.
  const auto run = rig.make_run(2, {}, [](messages::RunSpec& spec) {
    spec.program.argv = {"sh", "-c", "trap '' TERM HUP; exec sleep 1000"};
  });
  const pid_t agent = rig.start({run});
  std::vector<pid_t> ranks;
  REQUIRE(wait_until(10, [&] { return (ranks = ranks_and_helpers(run)).size() == 2; }));
  std::vector<pid_t> rest;
  for (const pid_t pid : processes_with(run.path().string()))
    if (pid != agent && std::find(ranks.begin(), ranks.end(), pid) == ranks.end())
      rest.push_back(pid);
  REQUIRE(rest.size() == 1);  // the reaper
  ::kill(rest[0], SIGKILL);
  ::kill(agent, SIGKILL);
  CHECK(holds_within(5, [&] { return ranks_and_helpers(run).empty(); }));
}

TEST_CASE("R7: a stop is followed, every rank confirms it, and the state is stopped") {
  AgentRig rig;
  const auto run = rig.make_run(3, {"--steps=1000000"},
                                [](messages::RunSpec& spec) { spec.limits.grace_s = 30; });
  const pid_t agent = rig.start({run});
  rank_pids(run, 3);  // ranks that have not sent records yet are not asked to stop
  REQUIRE(wait_for_steps(run, 2, 5, 10));
  ::kill(agent, SIGINT);
  CHECK(rig.wait_exit(agent, 5) == 0);
  for (Rank rank = 0; rank < 3; ++rank) {
    CHECK(last_state(run, rank)->state == State::kStopped);
    CHECK(last_state(run, rank)->exit_code == 0);
  }
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
  CHECK(last_state(run, kNoRank)
            ->text.find("asked by SIGINT from pid " + std::to_string(::getpid()) + " (") == 0);
}

TEST_CASE("R7: a rank that ignores all signals is killed after the grace period, not before") {
  AgentRig rig;
  const auto run =
      rig.make_run(2, {"--steps=1000000", "--ignore-term", "--ignore-ask", "--only-rank=1"});
  const pid_t agent = rig.start({run});
  rank_pids(run, 2);
  const std::int64_t asked_ns = mono_now_ns();
  ::kill(agent, SIGTERM);
  CHECK(rig.wait_exit(agent, 10) == 0);
  // The rank is asked for a second (not longer than the grace period), and has a second of grace
  // after TERM.
  const double seconds = static_cast<double>(last_state_ns(run) - asked_ns) * 1e-9;
  CHECK(seconds > 1.9);
  CHECK(seconds < 4);
  CHECK(last_state(run, 0)->exit_code == 0);
  CHECK(last_state(run, 1)->signal == SIGKILL);
  CHECK(last_state(run, 1)->state == State::kStopped);
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
}

TEST_CASE("R7: a rank that moved to another process group is stopped like any other") {
  const bool deaf = GENERATE(false, true);
  AgentRig rig;
  std::vector<std::string> flags = {"--steps=1000000", "--ignore-ask", "--leave-group"};
  if (deaf) flags.push_back("--ignore-term");
  const auto run = rig.make_run(2, flags, [deaf](messages::RunSpec& spec) {
    spec.limits.grace_s = deaf ? 1 : 3;  // on a busy machine a rank needs time to exit
  });
  const pid_t agent = rig.start({run});
  for (const pid_t rank : rank_pids(run, 2)) CHECK(::getpgid(rank) != rank);
  ::kill(agent, SIGTERM);
  CHECK(rig.wait_exit(agent, 10) == 0);
  for (Rank rank = 0; rank < 2; ++rank) {
    CHECK(last_state(run, rank)->state == State::kStopped);
    CHECK(last_state(run, rank)->signal == (deaf ? SIGKILL : -1));
  }
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
}

TEST_CASE("R7: the second signal does not wait for the grace period") {
  AgentRig rig;
  const auto run = rig.make_run(1, {"--steps=1000000", "--ignore-term", "--ignore-ask"},
                                [](messages::RunSpec& spec) { spec.limits.grace_s = 300; });
  const pid_t agent = rig.start({run});
  rank_pids(run, 1);
  ::kill(agent, SIGINT);
  REQUIRE(wait_until(5, [&] { return last_state(run, kNoRank)->state == State::kStopping; }));
  ::kill(agent, SIGINT);
  CHECK(rig.wait_exit(agent, 3) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
}

TEST_CASE("R7: an immediate stop from a viewer does not wait either") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=1000000", "--ignore-term", "--ignore-ask"},
                                [](messages::RunSpec& spec) { spec.limits.grace_s = 300; });
  const pid_t agent = rig.start({run});
  rank_pids(run, 2);
  auto viewer = wire::ControlClient::connect(*wire::read_agent_endpoint(run.agent_path()));
  REQUIRE(viewer);
  REQUIRE(viewer->ask_stop(wire::StopMode::kNow, kPatienceNs));
  CHECK(rig.wait_exit(agent, 10) == 0);
}

TEST_CASE("R7: a paused rank (SIGSTOP) is resumed so that it can be ended") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=1000000"});
  const pid_t agent = rig.start({run});
  const auto ranks = rank_pids(run, 2);
  ::kill(ranks[1], SIGSTOP);
  ::kill(agent, SIGTERM);
  CHECK(rig.wait_exit(agent, 5) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
}

TEST_CASE("child processes left behind by finished ranks are ended") {
  AgentRig rig;
  const std::string kind = GENERATE("group", "session");
  const auto run = rig.make_run(2, {"--steps=3", "--helper=" + kind});
  CHECK(rig.run({run}, 10) == 0);
  CHECK(processes_with(run.path().string()).empty());
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  CHECK(notice_with(run, "helpers_killed"));
}
