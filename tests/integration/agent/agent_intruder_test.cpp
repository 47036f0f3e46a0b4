// Promise S2 for the ranks' own connections: another user, who sees their ports in /proc/net/tcp,
// cannot take the place of a rank while they connect.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iostream>

#include "protocol/host/listening.h"
#include "protocol/host/peer_owner.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/nobody.h"
#include "tests/support/paths.h"
#include "trainer/probe/proc_files.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

namespace fs = std::filesystem;

struct Loot {
  std::uint32_t connections = 0;
  std::uint32_t bytes = 0;
};

int call(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

// Connects to every port that it gets, once for each place in a mesh of four, and accepts anything.
int intrude(int ports, int report) {
  Loot loot;
  std::vector<int> held;
  std::uint16_t port = 0;
  while (::read(ports, &port, sizeof port) == sizeof port) {
    for (std::uint64_t place = 0; place < 4; ++place) {
      const int fd = call(port);
      if (fd < 0) continue;
      ++loot.connections;
      if (::send(fd, &place, sizeof place, MSG_NOSIGNAL) > 0) held.push_back(fd);
    }
    if (::write(report, &loot, sizeof loot) != sizeof loot) return 1;
  }
  std::array<char, 4096> got{};
  for (const int fd : held) {
    const ssize_t size = ::recv(fd, got.data(), got.size(), MSG_DONTWAIT);
    if (size > 0) loot.bytes += static_cast<std::uint32_t>(size);
  }
  return ::write(report, &loot, sizeof loot) == sizeof loot ? 0 : 1;
}

class Intruder {
 public:
  Intruder() {
    REQUIRE(::pipe2(ports_.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(report_.data(), O_CLOEXEC) == 0);
    pid_ = start_as_nobody([&] {
      ::close(ports_[1]);
      return intrude(ports_[0], report_[1]);
    });
  }
  /// Returns when it has connected and sent bytes.
  void attack(const std::vector<std::uint16_t>& ports) const {
    for (const std::uint16_t port : ports) {
      REQUIRE(::write(ports_[1], &port, sizeof port) == sizeof port);
      said();
    }
  }
  Loot end() const {
    ::close(ports_[1]);
    const Loot loot = said();
    CHECK(wait_for_nobody(pid_) == 0);
    for (const int fd : {ports_[0], report_[0], report_[1]}) ::close(fd);
    return loot;
  }

 private:
  Loot said() const {
    Loot loot;
    REQUIRE(::read(report_[0], &loot, sizeof loot) == sizeof loot);
    return loot;
  }

  std::array<int, 2> ports_{};
  std::array<int, 2> report_{};
  pid_t pid_ = -1;
};

std::optional<pid_t> pid_of_rank(const runlog::RunFolder& run, int rank) {
  const std::string variable = "RANK=" + std::to_string(rank);
  for (const pid_t pid : processes_with(run.path().string())) {
    const auto all = probe::proc_text(fs::path("/proc") / std::to_string(pid) / "environ");
    if (all && all->find('\0' + variable + '\0') != std::string::npos) return pid;
  }
  return std::nullopt;
}

// Ports on which a process listens with IPv4, on any address.
std::vector<std::uint16_t> ports_of(pid_t pid) {
  std::vector<std::uint16_t> ports;
  for (const Listener& one : listeners_of(pid))
    if (one.address.find(':') == std::string::npos) ports.push_back(one.port);
  return ports;
}

runlog::RunFolder digits_run(AgentRig& rig, int nodes = 1) {
  return rig.make_run(2, {}, [&](messages::RunSpec& spec) {
    spec.program.argv.clear();
    spec.devices.nodes = nodes;
    if (nodes > 1) spec.devices.interface = "lo";
    if (nodes > 1) spec.devices.when_busy = "share";
    spec.data.root = rig.path().string();
    spec.data.train_samples = 640;
    spec.data.test_samples = 128;
    spec.train.epochs = 1;
    spec.limits.grace_s = 5;
    spec.limits.collective_timeout_s = 20;
    spec.devices.threads = 1;
  });
}

// Returns 0 if the port cannot be bound, in the way torch's store would try, and 1 if it can.
int take_port(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                 ::listen(fd, 1) == 0
             ? 1
             : 0;
}

// Losses of all steps of both ranks.
std::vector<double> losses_of(const runlog::RunFolder& run) {
  std::vector<double> losses;
  for (const auto& step : all_of<messages::StepReport>(records_of(run)))
    losses.push_back(step.loss);
  std::sort(losses.begin(), losses.end());
  return losses;
}

}  // namespace

TEST_CASE("S2: another user cannot take the place of a rank, and the run ends as without him") {
  if (!can_become_nobody()) return;
  if (!knows_peer_owners()) {
    std::cout << "SKIPPED: this kernel does not tell whose a socket is\n";
    return;
  }
  if (!fs::exists(bin_dir() / "ringside-trainer")) {
    std::cout << "SKIPPED: ringside-trainer was not built\n";
    return;
  }
  AgentRig rig;
  const auto quiet = digits_run(rig);
  REQUIRE(rig.run({quiet}, 50) == 0);
  const auto run = digits_run(rig);
  const Intruder intruder;
  const pid_t agent = rig.start({run});
  // Each rank listens and is attacked while the other one is paused: nobody else has connected by
  // then.
  const auto rank = [&](int number) {
    REQUIRE(wait_until(20, [&] { return pid_of_rank(run, number).has_value(); }));
    return *pid_of_rank(run, number);
  };
  const pid_t late = rank(1);
  REQUIRE(::kill(late, SIGSTOP) == 0);
  const pid_t first = rank(0);
  REQUIRE(wait_until(20, [&] { return !ports_of(first).empty(); }));
  REQUIRE(::kill(first, SIGSTOP) == 0);
  intruder.attack(ports_of(first));
  REQUIRE(::kill(late, SIGCONT) == 0);
  REQUIRE(wait_until(20, [&] { return !ports_of(late).empty(); }));
  REQUIRE(::kill(late, SIGSTOP) == 0);
  intruder.attack(ports_of(late));
  REQUIRE(::kill(first, SIGCONT) == 0);
  REQUIRE(::kill(late, SIGCONT) == 0);
  // The ranks are attacked at their second mesh, too, until they train.
  CHECK(wait_until(20, [&] {
    for (const pid_t pid : {first, late}) intruder.attack(ports_of(pid));
    return !all_of<messages::StepReport>(records_of(run)).empty();
  }));
  CHECK(rig.wait_exit(agent, 50) == 0);
  INFO(text_of(run.rank_dir(0, 0) / "stderr"));
  const Loot loot = intruder.end();
  CHECK(loot.connections >= 8);
  CHECK(loot.bytes == 0);
  CHECK(last_state(run, kNoRank)->state == messages::State::kFinished);
  CHECK(losses_of(run).size() == 20);
  CHECK(losses_of(run) == losses_of(quiet));
}

TEST_CASE("S2: on several nodes nobody can take the port of rank 0 before it starts") {
  if (!can_become_nobody()) return;
  if (!fs::exists(bin_dir() / "ringside-trainer")) {
    std::cout << "SKIPPED: ringside-trainer was not built\n";
    return;
  }
  AgentRig rig;
  const auto run = digits_run(rig, 2);
  const pid_t head = rig.start({run}, {}, {"--node", "0"});
  const pid_t member = rig.start({run}, {}, {"--node", "1"});
  REQUIRE(wait_until(20, [&] { return pid_of_rank(run, 0).has_value(); }));
  const pid_t first = *pid_of_rank(run, 0);
  REQUIRE(::kill(first, SIGSTOP) == 0);
  // The port is bound already before LibTorch is loaded.
  const auto ports = ports_of(first);
  REQUIRE(ports.size() == 1);
  CHECK(notice_with(run, "nodes_meet")->text.find(":" + std::to_string(ports[0]) + " ") !=
        std::string::npos);
  CHECK(as_nobody([&] { return take_port(ports[0]); }) == 0);
  REQUIRE(::kill(first, SIGCONT) == 0);
  CHECK(rig.wait_exit(head, 60) == 0);
  CHECK(rig.wait_exit(member, 20) == 0);
  INFO(text_of(run.rank_dir(0, 0) / "stderr"));
  CHECK(last_state(run, kNoRank)->state == messages::State::kFinished);
}
