// Runs on two nodes with a network between them, with delay and loss if the kernel supports it.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "protocol/host/listening.h"
#include "tests/integration/two_networks.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;
using messages::State;

namespace {

runlog::RunFolder run_on_two(AgentRig& rig, bool trainer, int epochs = 1) {
  return rig.make_run(4, {"--steps=30"}, [&](messages::RunSpec& spec) {
    spec.devices.nodes = 2;
    spec.devices.interface = "ring0";
    spec.devices.when_busy = "share";
    spec.devices.threads = 1;
    if (!trainer) return;
    spec.program.argv.clear();
    spec.data.root = rig.path().string();
    spec.data.train_samples = 320;
    spec.data.test_samples = 64;
    spec.train.epochs = epochs;
  });
}

bool have_trainer() {
  if (std::filesystem::exists(bin_dir() / "ringside-trainer")) return true;
  std::cout << "SKIPPED: ringside-trainer was not built (RINGSIDE_TRAINER is OFF)\n";
  return false;
}

/// Number of listening sockets in the network of this process, whichever process has them.
std::size_t listening_beside(pid_t pid) {
  std::size_t count = 0;
  for (const char* kind : {"tcp", "tcp6"}) {
    std::istringstream lines(text_of("/proc/" + std::to_string(pid) + "/net/" + kind));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      const std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
      if (word.size() > 3 && word[3] == "0A") ++count;
    }
  }
  return count;
}

std::vector<std::string> addresses_of(pid_t pid) {
  std::vector<std::string> addresses;
  for (const Listener& one : listeners_of(pid)) addresses.push_back(one.address);
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

}  // namespace

TEST_CASE("two nodes connect over the chosen interface, and compare their clocks over it") {
  TwoNetworks networks(1ms, 1);
  if (!is_there(networks)) return;
  AgentRig rig;
  const auto run = run_on_two(rig, false);
  const pid_t head = networks.start(rig, run, 0);
  const pid_t member = networks.start(rig, run, 1);
  CHECK(rig.wait_exit(head, 40) == 0);
  CHECK(rig.wait_exit(member, 20) == 0);
  INFO(text_of(run.agent_log_path()));
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  const auto met = notice_with(run, "nodes_meet");
  REQUIRE(met);
  CHECK(met->text.find("10.77.0.1:") != std::string::npos);
  CHECK(met->text.find("ring0") != std::string::npos);
  const auto clocks = all_of<messages::ClockSync>(records_of(run));
  REQUIRE_FALSE(clocks.empty());
  for (const auto& sync : clocks)
    CHECK(std::abs(sync.offset_ns) <= sync.uncertainty_ns);  // both use the clock of one machine
  // A round trip takes at least the network's delay, and the uncertainty is at least half of that.
  for (const auto& sync : clocks) CHECK(sync.uncertainty_ns >= 1'000'000);
}

TEST_CASE("2 + 2 Gloo ranks train over a network with delay and loss") {
  if (!have_trainer()) return;
  TwoNetworks networks(1ms, 1);
  if (!is_there(networks)) return;
  AgentRig rig;
  const auto run = run_on_two(rig, true);
  const pid_t head = networks.start(rig, run, 0);
  const pid_t member = networks.start(rig, run, 1);
  CHECK(rig.wait_exit(head, 120) == 0);
  CHECK(rig.wait_exit(member, 20) == 0);
  INFO(text_of(run.rank_dir(0, 2) / "stderr"));
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
  CHECK(networks.lost() > 0);
}

// The expected ports are in the table "What listens" of trainer/agent/RANKS.md.
TEST_CASE("S1: during a run on two nodes only the documented ports listen") {
  if (!have_trainer()) return;
  TwoNetworks networks;
  if (!is_there(networks)) return;
  AgentRig rig;
  const auto run = run_on_two(rig, true, 1000);
  const std::array<pid_t, 2> agents{networks.start(rig, run, 0), networks.start(rig, run, 1)};
  const auto ranks = rank_pids(run, 4);
  REQUIRE(wait_for_steps(run, 3, 3, 60));
  const std::array<std::string, 2> addresses{"10.77.0.1", "10.77.0.2"};
  const std::string loopback = "127.0.0.1";
  CHECK(addresses_of(agents[0]) == std::vector<std::string>{addresses[0], loopback, loopback});
  CHECK(addresses_of(agents[1]) == std::vector<std::string>{loopback, loopback});
  const auto met = notice_with(run, "nodes_meet");
  REQUIRE(met);
  std::size_t stores = 0;
  std::array<std::size_t, 2> known{3, 2};
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const std::size_t node = rank / 2;
    const auto listeners = listeners_of(ranks[rank]);
    CHECK_FALSE(listeners.empty());
    known[node] += listeners.size();
    for (const Listener& one : listeners) {
      INFO("rank " << rank << " listens on " << one.address << ":" << one.port);
      CHECK(one.address == addresses[node]);
      const std::string place = one.address + ":" + std::to_string(one.port) + " ";
      if (met->text.find(place) == std::string::npos) continue;
      CHECK(rank == 0);
      ++stores;
    }
  }
  CHECK(stores == 1);
  for (const std::size_t node : {0U, 1U}) CHECK(listening_beside(agents[node]) == known[node]);
  ::kill(agents[0], SIGTERM);
  CHECK(rig.wait_exit(agents[0], 60) == 0);
  CHECK(rig.wait_exit(agents[1], 60) == 0);
}
