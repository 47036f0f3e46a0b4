// Two nodes with a network between them: two network namespaces of this machine, joined by a pair
// of virtual interfaces, with delay and loss where the kernel has them. Needs root.
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <sstream>

#include "protocol/base/listening.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

/// A process that holds a network namespace open; -1: it could not make one.
class Namespace {
 public:
  Namespace() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const char made = ::unshare(CLONE_NEWNET) == 0 ? 'y' : 'n';
      [[maybe_unused]] const auto told = ::write(ends[1], &made, 1);
      for (;;) ::pause();
    }
    char made = 'n';
    [[maybe_unused]] const auto heard = ::read(ends[0], &made, 1);
    ::close(ends[0]);
    ::close(ends[1]);
    made_ = made == 'y';
  }
  ~Namespace() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;

  bool made() const { return made_; }
  pid_t pid() const { return pid_; }
  /// From now on this thread, and what it starts, is in it.
  bool enter() const {
    const int fd = ::open(("/proc/" + std::to_string(pid_) + "/ns/net").c_str(), O_RDONLY);
    const bool entered = fd >= 0 && ::setns(fd, CLONE_NEWNET) == 0;
    if (fd >= 0) ::close(fd);
    return entered;
  }
  /// Runs a command inside; true when it ended well.
  bool run(std::vector<std::string> words) const {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!enter()) ::_exit(126);
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    return status == 0;
  }

 private:
  pid_t pid_ = -1;
  bool made_ = false;
};

class TwoNetworks {
 public:
  /// Why they cannot be had; empty: they are there.
  std::string problem() const {
    if (!a_.made() || !b_.made()) return "network namespaces need root";
    if (!a_.run({"ip", "link", "add", "ring0", "type", "veth", "peer", "name", "ring0", "netns",
                 std::to_string(b_.pid())}))
      return "a pair of virtual interfaces cannot be made with ip";
    const bool up = bring_up(a_, "10.77.0.1/24") && bring_up(b_, "10.77.0.2/24");
    return up ? "" : "the virtual interfaces cannot be brought up";
  }
  /// False where the kernel or the program for it is missing.
  bool make_slow() const {
    const std::vector<std::string> words = {"tc",    "qdisc", "add", "dev",  "ring0", "root",
                                            "netem", "delay", "1ms", "loss", "1%"};
    return a_.run(words) && b_.run(words);
  }
  pid_t start(AgentRig& rig, const runlog::RunFolder& run, Node node) const {
    const int home = ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    REQUIRE(home >= 0);
    REQUIRE((node == 0 ? a_ : b_).enter());
    const pid_t pid = rig.start({run}, {}, {"--node", std::to_string(node)});
    const bool back = ::setns(home, CLONE_NEWNET) == 0;
    ::close(home);
    REQUIRE(back);
    return pid;
  }

 private:
  static bool bring_up(const Namespace& in, const std::string& address) {
    return in.run({"ip", "addr", "add", address, "dev", "ring0"}) &&
           in.run({"ip", "link", "set", "ring0", "up"}) &&
           in.run({"ip", "link", "set", "lo", "up"});
  }

  Namespace a_;
  Namespace b_;
};

bool is_there(const TwoNetworks& networks) {
  const std::string problem = networks.problem();
  if (!problem.empty()) std::cout << "SKIPPED: " << problem << "\n";
  return problem.empty();
}

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

/// Sockets that listen in the network of this process, whoever has them.
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

TEST_CASE("two nodes meet on the interface that was chosen, and compare their clocks over it") {
  const TwoNetworks networks;
  if (!is_there(networks)) return;
  if (!networks.make_slow()) std::cout << "without delay and loss: tc or netem is missing\n";
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
    CHECK(std::abs(sync.offset_ns) <= sync.uncertainty_ns);  // one machine has one clock
}

TEST_CASE("2 + 2 Gloo ranks train over a network with delay and loss") {
  if (!have_trainer()) return;
  const TwoNetworks networks;
  if (!is_there(networks)) return;
  (void)networks.make_slow();
  AgentRig rig;
  const auto run = run_on_two(rig, true);
  const pid_t head = networks.start(rig, run, 0);
  const pid_t member = networks.start(rig, run, 1);
  CHECK(rig.wait_exit(head, 120) == 0);
  CHECK(rig.wait_exit(member, 20) == 0);
  INFO(text_of(run.rank_dir(0, 2) / "stderr"));
  CHECK(last_state(run, kNoRank)->state == State::kFinished);
}

// The table "What listens" of trainer/agent/RANKS.md.
TEST_CASE("during a run on two nodes nothing listens but what the page lists, where it says") {
  if (!have_trainer()) return;
  const TwoNetworks networks;
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
