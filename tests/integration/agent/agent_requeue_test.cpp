// An agent on a cluster: its time is up, it is stopped by a signal that its ranks get too, it is
// started again.
#include <csignal>
#include <filesystem>
#include <string>

#include "protocol/wire/control_client.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"

namespace fs = std::filesystem;
using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

constexpr int kGoesOnLater = 75;
constexpr const char* kAgain = "again";

/// The option with which the agent creates a file if the run will continue later.
std::string requeue_of(const AgentRig& rig) {
  return "--requeue=" + (rig.path() / kAgain).string();
}

/// Sends a signal to every process of a step, as Slurm does.
void signal_all(const runlog::RunFolder& run, pid_t agent, int signal) {
  for (const auto pid : rank_pids(run, 2)) ::kill(pid, signal);
  ::kill(agent, signal);
}

}  // namespace

TEST_CASE(
    "R7: an agent whose time is up stops its ranks, records that they wait, and asks for a "
    "restart") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=1000000"});
  const pid_t agent = rig.start({run}, {}, {requeue_of(rig)});
  REQUIRE(wait_for_steps(run, 1, 5, 10));
  signal_all(run, agent, SIGUSR1);
  CHECK(rig.wait_exit(agent, 10) == kGoesOnLater);
  CHECK(fs::exists(rig.path() / kAgain));
  for (Rank rank = 0; rank < 2; ++rank) CHECK(last_state(run, rank)->state == State::kStopped);
  const auto last = last_state(run, kNoRank);
  CHECK(last->state == State::kQueued);
  CHECK(last->text.find("time limit") != std::string::npos);

  const pid_t next = rig.start({run}, {}, {requeue_of(rig)});
  REQUIRE(wait_until(10, [&] {
    const auto state = last_state(run, kNoRank);
    return state && state->attempt == 1 && state->state == State::kTraining;
  }));
  ::kill(next, SIGTERM);
  CHECK(rig.wait_exit(next, 10) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
}

TEST_CASE("R7: without --requeue an agent whose time is up stops its run") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=1000000"});
  const pid_t agent = rig.start({run});
  REQUIRE(wait_for_steps(run, 1, 5, 10));
  signal_all(run, agent, SIGUSR1);
  CHECK(rig.wait_exit(agent, 10) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
}

TEST_CASE("R7: a person's stop is final, before and after the time was up") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=1000000"});
  const pid_t agent = rig.start({run}, {}, {requeue_of(rig)});
  REQUIRE(wait_for_steps(run, 1, 5, 10));
  // Ranks take a while to save a checkpoint when they are stopped.
  const auto pids = rank_pids(run, 2);
  for (const auto pid : pids) ::kill(pid, SIGSTOP);
  const auto stop = [&run] {
    auto viewer = wire::ControlClient::connect(*wire::read_agent_endpoint(run.agent_path()));
    REQUIRE(viewer->ask_stop(wire::StopMode::kGraceful, kPatienceNs));
  };
  SECTION("by a viewer, afterwards") {
    ::kill(agent, SIGUSR1);
    stop();
  }
  SECTION("by a viewer, before") {
    stop();
    ::kill(agent, SIGUSR1);
  }
  SECTION("through Slurm, afterwards") {
    ::kill(agent, SIGUSR1);
    ::kill(agent, SIGUSR2);
  }
  for (const auto pid : pids) ::kill(pid, SIGCONT);
  CHECK(rig.wait_exit(agent, 10) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
}

TEST_CASE("R7: SIGUSR2 is a final stop, also with --requeue") {
  AgentRig rig;
  const auto run = rig.make_run(2, {"--steps=1000000"});
  const pid_t agent = rig.start({run}, {}, {requeue_of(rig)});
  REQUIRE(wait_for_steps(run, 1, 5, 10));
  signal_all(run, agent, SIGUSR2);
  CHECK(rig.wait_exit(agent, 10) == 0);
  CHECK_FALSE(fs::exists(rig.path() / kAgain));
  CHECK(last_state(run, kNoRank)->state == State::kStopped);
  CHECK(last_state(run, kNoRank)->text == "asked by scancel");
}
