// Runs on several nodes: one agent for each, all on this machine and its loopback.
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>

#include "protocol/wire/agent_endpoint.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

/// A run with this many ranks on each of two nodes.
runlog::RunFolder agent_nodes_run_on_two(
    AgentRig& rig, std::vector<std::string> flags,
    const std::function<void(messages::RunSpec&)>& change = {}) {
  return rig.make_run(4, std::move(flags), [&](messages::RunSpec& spec) {
    spec.devices.nodes = 2;
    spec.devices.interface = "lo";
    spec.devices.when_busy = "share";
    spec.limits.stall_s = 3;
    if (change) change(spec);
  });
}

struct Agents {
  pid_t head = -1;
  pid_t member = -1;
};

Agents start_both(AgentRig& rig, const runlog::RunFolder& run) {
  const pid_t head = rig.start({run}, {}, {"--node", "0"});
  return {head, rig.start({run}, {"SLURM_NODEID=1"})};
}

std::string run_text(const runlog::RunFolder& run) {
  const auto state = last_state(run, kNoRank);
  return state ? state->text : "";
}

/// Nodes with host samples.
std::set<Node> sampled_nodes(const runlog::RunFolder& run) {
  std::set<Node> nodes;
  for (const auto& entry : records_of(run).entries) {
    if (std::holds_alternative<messages::HostSample>(entry.record)) nodes.insert(entry.stamp.node);
  }
  return nodes;
}

State run_state(const runlog::RunFolder& run) {
  const auto state = last_state(run, kNoRank);
  return state ? state->state : State::kQueued;
}

}  // namespace

TEST_CASE("two nodes of two ranks run as one, with a log each") {
  AgentRig rig;
  const auto gate = rig.path() / "gate";
  const auto run =
      agent_nodes_run_on_two(rig, {"--steps=40", "--gate=" + gate.string(), "--gate-at=39"});
  const Agents agents = start_both(rig, run);
  REQUIRE(wait_for_steps(run, 3, 1, 20));
  struct stat facts {};
  for (const auto& file : {run.agent_path(0), run.agent_path(1), run.log_path(1)}) {
    REQUIRE(::stat(file.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777U) == 0600);
  }
  const auto head = wire::read_agent_endpoint(run.agent_path());
  REQUIRE(head);
  CHECK(head->node_endpoint.starts_with("tcp://127.0.0.1:"));
  CHECK(wait_until(10, [&] { return sampled_nodes(run) == std::set<Node>{0, 1}; }));
  std::ofstream(gate) << "looked at";
  INFO(text_of(run.agent_log_path()));
  CHECK(rig.wait_exit(agents.head, 20) == 0);
  CHECK(rig.wait_exit(agents.member, 20) == 0);
  CHECK(run_state(run) == State::kFinished);
  CHECK_FALSE(std::filesystem::exists(run.agent_path(1)));
  CHECK(run.logged_nodes() == std::vector<Node>{0, 1});
  const auto list = records_of(run);
  for (Rank rank = 0; rank < 4; ++rank) {
    std::size_t steps = 0;
    for (const auto& entry : list.entries) {
      if (entry.stamp.rank != rank) continue;
      CHECK(entry.stamp.node == rank / 2);
      if (std::holds_alternative<messages::StepReport>(entry.record)) ++steps;
    }
    CHECK(steps == 40);
    CHECK(last_state(run, rank)->state == State::kFinished);
  }
  for (const auto& hello : all_of<messages::RankHello>(list)) {
    CHECK(hello.world_size == 4);
    CHECK(hello.local_rank < 2);
  }
}

TEST_CASE("the clocks of the nodes are compared before any rank sends records") {
  AgentRig rig;
  const auto run = agent_nodes_run_on_two(rig, {"--steps=10"});
  const Agents agents = start_both(rig, run);
  CHECK(rig.wait_exit(agents.head, 20) == 0);
  CHECK(rig.wait_exit(agents.member, 20) == 0);
  bool told = false;
  for (const auto& entry : records_of(run).entries) {
    if (entry.stamp.node != 1) continue;
    if (const auto* sync = std::get_if<messages::ClockSync>(&entry.record)) {
      told = true;
      CHECK(sync->peer == 0);
      // Both nodes use the clock of one machine.
      CHECK(std::abs(sync->offset_ns) <= sync->uncertainty_ns);
      CHECK(sync->uncertainty_ns < 500'000'000);
    } else if (entry.stamp.rank != kNoRank) {
      CHECK(told);
    }
  }
  CHECK(told);
}

TEST_CASE("node 0 reports which node it waits for, and can be stopped meanwhile") {
  AgentRig rig;
  const auto run = agent_nodes_run_on_two(rig, {"--steps=5"});
  const pid_t head = rig.start({run}, {}, {"--node", "0"});
  REQUIRE(wait_until(10, [&] { return run_text(run).find("node 1 of 2") != std::string::npos; }));
  CHECK(run_text(run).find("ringside-agent --node K " + run.path().string()) != std::string::npos);
  CHECK(rank_pids(run, 0).empty());
  ::kill(head, SIGTERM);
  CHECK(rig.wait_exit(head, 10) == 0);
  CHECK(run_state(run) == State::kStopped);
  CHECK_FALSE(std::filesystem::exists(run.attempt_dir(0)));
}

TEST_CASE("a node that waits for others does not outlive node 0") {
  AgentRig rig;
  const auto run = agent_nodes_run_on_two(rig, {"--steps=5"}, [](messages::RunSpec& spec) {
    spec.devices.nodes = spec.devices.world_size = 3;
  });
  const Agents agents = start_both(rig, run);
  REQUIRE(wait_until(10, [&] { return run_text(run).find("node 2 of 3") != std::string::npos; }));
  ::kill(agents.head, SIGKILL);
  CHECK(rig.wait_exit(agents.member, 30) == 1);
}

TEST_CASE("a rank that fails ends both nodes, and its node is named") {
  AgentRig rig;
  const Rank bad = GENERATE(Rank{1}, Rank{2});
  const auto run = agent_nodes_run_on_two(
      rig, {"--steps=100000", "--exit-at=5", "--only-rank=" + std::to_string(bad)});
  const Agents agents = start_both(rig, run);
  CHECK(rig.wait_exit(agents.head, 30) == 1);
  CHECK(rig.wait_exit(agents.member, 30) == 1);
  CHECK(run_state(run) == State::kFailed);
  INFO(run_text(run));
  CHECK(run_text(run).starts_with("node " + std::to_string(bad / 2)));
  CHECK(run_text(run).find("rank " + std::to_string(bad) + ": exit code 3") != std::string::npos);
  CHECK(processes_with("RINGSIDE_RUN_DIR=" + run.path().string()).empty());
}

TEST_CASE("R15: a killed agent is named by the other one, and no process stays behind") {
  AgentRig rig;
  const auto run = agent_nodes_run_on_two(rig, {"--steps=100000"});
  const Agents agents = start_both(rig, run);
  REQUIRE(wait_for_steps(run, 3, 3, 20));
  const auto nobody_left = [&] {
    return wait_until(
        10, [&] { return processes_with("RINGSIDE_RUN_DIR=" + run.path().string()).empty(); });
  };
  SECTION("the agent of node 1") {
    ::kill(agents.member, SIGKILL);
    CHECK(rig.wait_exit(agents.head, 30) == 1);
    CHECK(run_state(run) == State::kFailed);
    INFO(run_text(run));
    CHECK(run_text(run).starts_with("node 1"));
    CHECK(run_text(run).find("no message came from its agent") != std::string::npos);
    CHECK(nobody_left());
  }
  SECTION("the agent of node 0") {
    ::kill(agents.head, SIGKILL);
    CHECK(rig.wait_exit(agents.member, 30) == 1);
    CHECK(nobody_left());
    bool named = false;
    for (const auto& entry : records_of(run).entries) {
      const auto* state = std::get_if<messages::RankState>(&entry.record);
      named =
          named || (state != nullptr && entry.stamp.node == 1 && state->about == kNoRank &&
                    state->state == State::kFailed && state->text.starts_with("node 0 is gone"));
    }
    CHECK(named);
  }
}

TEST_CASE("stopping either agent stops the run") {
  AgentRig rig;
  const bool of_head = GENERATE(true, false);
  const auto run = agent_nodes_run_on_two(rig, {"--steps=100000"});
  const Agents agents = start_both(rig, run);
  REQUIRE(wait_for_steps(run, 3, 3, 20));
  ::kill(of_head ? agents.head : agents.member, SIGTERM);
  CHECK(rig.wait_exit(agents.head, 20) == 0);
  CHECK(rig.wait_exit(agents.member, 20) == 0);
  CHECK(run_state(run) == State::kStopped);
  for (Rank rank = 0; rank < 4; ++rank) CHECK(last_state(run, rank)->state == State::kStopped);
}

TEST_CASE("all nodes restart together") {
  AgentRig rig;
  const auto run = agent_nodes_run_on_two(
      rig, {"--steps=20", "--exit-at=5", "--only-rank=3", "--before-attempt=1"},
      [](messages::RunSpec& spec) { spec.limits.restarts = 1; });
  const Agents agents = start_both(rig, run);
  CHECK(rig.wait_exit(agents.head, 40) == 0);
  CHECK(rig.wait_exit(agents.member, 40) == 0);
  CHECK(run_state(run) == State::kFinished);
  CHECK(notice_with(run, "restart"));
  std::size_t hellos = 0;
  for (const auto& hello : all_of<messages::RankHello>(records_of(run)))
    hellos += hello.attempt == 1 ? 1U : 0U;
  CHECK(hellos == 4);
  CHECK(run.attempts() == 2);
}

TEST_CASE("S3: a second agent of a node is refused, and so is a node that is not in the run") {
  AgentRig rig;
  const auto run = agent_nodes_run_on_two(rig, {"--steps=100000"});
  const Agents agents = start_both(rig, run);
  REQUIRE(wait_for_steps(run, 0, 3, 20));  // so that the run has a state
  REQUIRE(wait_for_steps(run, 3, 3, 20));
  CHECK(rig.wait_exit(rig.start({run}, {}, {"--node", "1"}), 10) == 2);
  CHECK(rig.wait_exit(rig.start({run}, {}, {"--node", "2"}), 10) == 2);
  CHECK(rig.wait_exit(rig.start({run}), 10) == 2);  // no node is given
  CHECK(run_state(run) == State::kTraining);
  ::kill(agents.head, SIGTERM);
  CHECK(rig.wait_exit(agents.head, 20) == 0);
  CHECK(rig.wait_exit(agents.member, 20) == 0);
}

namespace {

/// Virtual nodes, which connect on loopback and queue for devices only once.
runlog::RunFolder run_on_virtual(AgentRig& rig, std::vector<std::string> flags) {
  return agent_nodes_run_on_two(rig, std::move(flags), [](messages::RunSpec& spec) {
    spec.devices.interface.clear();
    spec.devices.when_busy = "wait";
    spec.devices.virtual_nodes = true;
  });
}

}  // namespace

TEST_CASE(
    "virtual nodes train several runs in turn, and with few cores they do not block each other") {
  AgentRig rig;
  const auto one = rig.make_run(1, {"--steps=5"});
  const auto two = run_on_virtual(rig, {"--steps=5"});
  const auto three = run_on_virtual(rig, {"--steps=5"});
  const pid_t head = rig.start({one, two, three}, {}, {"--node", "0"});
  const pid_t member = rig.start({one, two, three}, {}, {"--node", "1"});
  INFO(text_of(one.agent_log_path()) + text_of(two.agent_log_path()));
  CHECK(rig.wait_exit(head, 30) == 0);
  CHECK(rig.wait_exit(member, 30) == 0);
  for (const auto& run : {one, two, three}) CHECK(run_state(run) == State::kFinished);
  CHECK_FALSE(std::filesystem::exists(one.log_path(1)));
  CHECK(last_state(three, 3)->state == State::kFinished);
}

TEST_CASE("a node does not wait for a run that node 0 has given up") {
  AgentRig rig;
  const auto one = rig.make_run(1, {"--steps=100000"});
  const auto two = run_on_virtual(rig, {"--steps=5"});
  const pid_t head = rig.start({one, two}, {}, {"--node", "0"});
  const pid_t member = rig.start({one, two}, {}, {"--node", "1"});
  REQUIRE(wait_for_steps(one, 0, 3, 20));
  REQUIRE(wait_until(10, [&] { return std::filesystem::exists(two.agent_path(1)); }));
  SECTION("the run was stopped") {
    ::kill(head, SIGTERM);
    CHECK(rig.wait_exit(head, 20) == 0);
    CHECK(rig.wait_exit(member, 20) == 0);
    CHECK(run_state(two) == State::kStopped);
  }
  SECTION("the agent of node 0 was killed") {
    ::kill(head, SIGKILL);
    CHECK(rig.wait_exit(member, 20) == 1);
  }
}
