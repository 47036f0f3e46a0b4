// Two nodes with a network between them: two network namespaces of this machine, joined by a pair
// of virtual interfaces or by a slow network that loses packets; 10.77.0.1 on node 0 and 10.77.0.2
// on node 1, both interfaces named ring0. Needs root. Used by the only thread of a process when it
// enters one.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"
#include "tests/support/slow_network.h"

namespace ringside::testing {

/// A process that holds a network namespace open; -1: it could not be created.
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
  /// Moves this thread, and processes that it starts later, into the namespace.
  bool enter() const {
    const int fd = ::open(("/proc/" + std::to_string(pid_) + "/ns/net").c_str(), O_RDONLY);
    const bool entered = fd >= 0 && ::setns(fd, CLONE_NEWNET) == 0;
    if (fd >= 0) ::close(fd);
    return entered;
  }
  /// Runs a command inside; true if it succeeded.
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
  TwoNetworks() = default;
  /// Each packet is delayed by `delay`, and `lost` of a hundred are lost.
  TwoNetworks(std::chrono::microseconds delay, int lost) : delay_(delay), lost_(lost) {}

  /// Why the namespaces cannot be created; empty: they exist.
  std::string problem() {
    if (!a_.made() || !b_.made()) return "network namespaces need root";
    if (const std::string missing = join(); !missing.empty()) return missing;
    const bool up = bring_up(a_, "10.77.0.1/24") && bring_up(b_, "10.77.0.2/24");
    return up ? "" : "the virtual interfaces cannot be brought up";
  }
  /// Number of packets lost so far.
  long lost() const { return slow_.lost(); }
  /// Runs `work` on that node: processes that it starts use its network.
  pid_t on(Node node, const std::function<pid_t()>& work) const {
    const int home = ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    REQUIRE(home >= 0);
    REQUIRE((node == 0 ? a_ : b_).enter());
    const pid_t pid = work();
    const bool back = ::setns(home, CLONE_NEWNET) == 0;
    ::close(home);
    REQUIRE(back);
    return pid;
  }
  pid_t start(AgentRig& rig, const runlog::RunFolder& run, Node node) const {
    return on(node, [&] { return rig.start({run}, {}, {"--node", std::to_string(node)}); });
  }

 private:
  std::string join() {
    if (delay_.count() > 0) return slow_.start(a_.pid(), b_.pid(), "ring0", delay_, lost_);
    const bool made = a_.run({"ip", "link", "add", "ring0", "type", "veth", "peer", "name", "ring0",
                              "netns", std::to_string(b_.pid())});
    return made ? "" : "a pair of virtual interfaces cannot be made with ip";
  }
  static bool bring_up(const Namespace& in, const std::string& address) {
    return in.run({"ip", "addr", "add", address, "dev", "ring0"}) &&
           in.run({"ip", "link", "set", "ring0", "up"}) &&
           in.run({"ip", "link", "set", "lo", "up"});
  }

  Namespace a_;
  Namespace b_;
  std::chrono::microseconds delay_{0};
  int lost_ = 0;
  SlowNetwork slow_;
};

inline bool is_there(TwoNetworks& networks) {
  const std::string problem = networks.problem();
  if (!problem.empty()) std::cout << "SKIPPED: " << problem << "\n";
  return problem.empty();
}

}  // namespace ringside::testing
