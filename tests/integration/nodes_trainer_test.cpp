// Our trainer on two nodes: Gloo ranks that connect over an interface, all on this machine.
#include <csignal>
#include <iostream>

#include "protocol/host/listening.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

bool nodes_trainer_have_trainer() {
  if (std::filesystem::exists(bin_dir() / "ringside-trainer")) return true;
  std::cout << "SKIPPED: ringside-trainer was not built (RINGSIDE_TRAINER is OFF)\n";
  return false;
}

runlog::RunFolder digits_on_two(AgentRig& rig, int epochs) {
  return rig.make_run(4, {}, [&](messages::RunSpec& spec) {
    spec.program.argv.clear();
    spec.devices.nodes = 2;
    spec.devices.interface = "lo";
    spec.devices.when_busy = "share";
    spec.devices.threads = 1;
    spec.data.root = rig.path().string();
    spec.data.train_samples = 640;
    spec.data.test_samples = 128;
    spec.train.epochs = epochs;
    spec.limits.grace_s = 5;
  });
}

std::pair<pid_t, pid_t> start_both(AgentRig& rig, const runlog::RunFolder& run) {
  const pid_t head = rig.start({run}, {}, {"--node", "0"});
  return {head, rig.start({run}, {}, {"--node", "1"})};
}

std::size_t steps_of(const runlog::RunFolder& run, Rank rank) {
  std::size_t steps = 0;
  for (const auto& entry : records_of(run).entries) {
    if (entry.stamp.rank == rank && std::holds_alternative<messages::StepReport>(entry.record))
      ++steps;
  }
  return steps;
}

}  // namespace

TEST_CASE("2 + 2 Gloo ranks train as one group of four") {
  if (!nodes_trainer_have_trainer()) return;
  AgentRig rig;
  const auto run = digits_on_two(rig, 2);
  const auto [head, member] = start_both(rig, run);
  CHECK(rig.wait_exit(head, 120) == 0);
  CHECK(rig.wait_exit(member, 20) == 0);
  INFO(text_of(run.rank_dir(0, 2) / "stderr"));
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  for (Rank rank = 0; rank < 4; ++rank) CHECK(steps_of(run, rank) == steps_of(run, 0));
  CHECK(steps_of(run, 0) > 0);
  CHECK_FALSE(std::filesystem::exists(run.rendezvous_path(0)));
}

TEST_CASE("S1: the ranks and agents of two nodes on loopback listen only there") {
  if (!nodes_trainer_have_trainer()) return;
  AgentRig rig;
  const auto run = digits_on_two(rig, 1000);
  const auto [head, member] = start_both(rig, run);
  auto all = rank_pids(run, 4);
  REQUIRE(wait_for_steps(run, 3, 3, 60));
  all.push_back(head);
  all.push_back(member);
  std::size_t found = 0;
  for (const pid_t pid : all) {
    for (const Listener& one : listeners_of(pid)) {
      INFO("process " << pid << " listens on " << one.address);
      CHECK(is_loopback(one.address));
      ++found;
    }
  }
  CHECK(found > 0);
  ::kill(head, SIGTERM);
  CHECK(rig.wait_exit(head, 60) == 0);
  CHECK(rig.wait_exit(member, 60) == 0);
}

TEST_CASE("a stopped run on two nodes resumes from its checkpoint on both") {
  if (!nodes_trainer_have_trainer()) return;
  AgentRig rig;
  const auto run = digits_on_two(rig, 12);  // so that it is not over before it is stopped
  {
    const auto [head, member] = start_both(rig, run);
    REQUIRE(wait_for_steps(run, 3, 6, 60));
    ::kill(head, SIGTERM);
    CHECK(rig.wait_exit(head, 60) == 0);
    CHECK(rig.wait_exit(member, 60) == 0);
    CHECK(last_state(run, kNoRank)->state == State::kStopped);
  }
  const auto [head, member] = start_both(rig, run);
  CHECK(rig.wait_exit(head, 120) == 0);
  CHECK(rig.wait_exit(member, 20) == 0);
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  std::int64_t first_step = 0;
  for (const auto& hello : all_of<messages::RankHello>(records_of(run))) {
    if (hello.attempt == 1) first_step = std::max<std::int64_t>(first_step, hello.first_step);
  }
  CHECK(first_step > 0);
}

bool ignores(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    if (word == "SigIgn:" && status >> word)
      return (std::stoull(word, nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

TEST_CASE("R15: when the agent of a node is killed, that node is named and not its victims") {
  if (!nodes_trainer_have_trainer()) return;
  AgentRig rig;
  const auto run = digits_on_two(rig, 1000);
  const auto [head, member] = start_both(rig, run);
  REQUIRE(wait_for_steps(run, 3, 3, 60));
  // A victim that died of SIGPIPE would look as if it had been killed.
  for (const pid_t rank : rank_pids(run, 4)) CHECK(ignores(rank, SIGPIPE));
  ::kill(member, SIGKILL);
  CHECK(rig.wait_exit(head, 60) == 1);
  const auto state = last_state(run, kNoRank);
  REQUIRE(state);
  CHECK(state->state == State::kFailed);
  INFO(state->text);
  CHECK(state->text.starts_with("node 1"));
  CHECK(wait_until(
      10, [&] { return processes_with("RINGSIDE_RUN_DIR=" + run.path().string()).empty(); }));
}
