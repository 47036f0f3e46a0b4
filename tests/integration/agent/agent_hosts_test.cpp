// Two runs that need the same two hosts: this machine under two names, each with its own device
// queue. Needs root.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "tests/integration/agent/agent_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;
using messages::State;

namespace {

/// While it lives, this process and those that it starts are on a host with that name.
class OnHost {
 public:
  explicit OnHost(const std::string& name)
      : home_(::open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC)),
        there_(home_ >= 0 && ::unshare(CLONE_NEWUTS) == 0 &&
               ::sethostname(name.data(), name.size()) == 0) {}
  ~OnHost() {
    if (home_ < 0) return;
    (void)::setns(home_, CLONE_NEWUTS);
    ::close(home_);
  }
  OnHost(const OnHost&) = delete;
  OnHost& operator=(const OnHost&) = delete;
  bool there() const { return there_; }

 private:
  int home_;
  bool there_;
};

bool hosts_can_be_made() {
  const bool can = OnHost("host-a").there();
  if (!can) std::cout << "SKIPPED: a host of another name needs root\n";
  return can;
}

/// A run on all slots of two hosts.
runlog::RunFolder run_on_both(AgentRig& rig, const char* steps) {
  return rig.make_run(4, {steps}, [](messages::RunSpec& spec) {
    spec.devices.nodes = 2;
    spec.devices.interface = "lo";
  });
}

pid_t start_on(AgentRig& rig, const std::string& host, const runlog::RunFolder& run, Node node) {
  const OnHost there(host);
  REQUIRE(there.there());
  return rig.start({run}, {}, {"--node", std::to_string(node)});
}

bool says(const runlog::RunFolder& run, const std::string& what) {
  return wait_until(20, [&] {
    for (const auto& state : all_of<messages::RankState>(records_of(run))) {
      if (state.text.find(what) != std::string::npos) return true;
    }
    return false;
  });
}

}  // namespace

TEST_CASE("two runs that list the same hosts in different order do not wait for each other") {
  if (!hosts_can_be_made()) return;
  keep_two_cores();
  AgentRig rig;
  const auto one = run_on_both(rig, "--steps=30");
  const auto two = run_on_both(rig, "--steps=30");
  // Each run would get first the host that the other needs second.
  std::vector<pid_t> agents{start_on(rig, "host-a", one, 0), start_on(rig, "host-b", two, 0)};
  REQUIRE(says(one, "waits for node 1 of 2; on each of them: ringside-agent --node K"));
  REQUIRE(says(two, "waits for node 1 of 2"));
  agents.push_back(start_on(rig, "host-b", one, 1));
  agents.push_back(start_on(rig, "host-a", two, 1));
  for (const pid_t agent : agents) CHECK(rig.wait_exit(agent, 60) == 0);
  for (const auto& run : {one, two}) {
    INFO(text_of(run.agent_log_path()));
    CHECK(last_state(run, kNoRank)->state == State::kFinished);
  }
}

TEST_CASE(
    "a run that waits for the devices of a host holds none of a later one, and can be stopped") {
  if (!hosts_can_be_made()) return;
  keep_two_cores();
  AgentRig rig;
  const auto busy = rig.make_run(2, {"--steps=1000000"});
  pid_t holder = -1;
  {
    const OnHost there("host-a");
    holder = rig.start({busy});
  }
  REQUIRE(wait_for_steps(busy, 0, 1, 20));
  const auto both = run_on_both(rig, "--steps=5");
  const pid_t head = start_on(rig, "host-b", both, 0);
  const pid_t member = start_on(rig, "host-a", both, 1);
  REQUIRE(says(both, "behind run " + busy.id()));
  REQUIRE(says(both, "waits until node 1 (host-a) has its devices"));
  // Another run begins at once on host-b.
  const auto small = rig.make_run(2, {"--steps=5"});
  {
    const OnHost there("host-b");
    CHECK(rig.run({small}) == 0);
  }
  const bool stop = GENERATE(true, false);
  ::kill(stop ? member : holder, SIGTERM);
  CHECK(rig.wait_exit(head, 30) == 0);
  CHECK(rig.wait_exit(member, 30) == 0);
  CHECK(last_state(both, kNoRank)->state == (stop ? State::kStopped : State::kFinished));
  if (stop) CHECK(says(both, " on node 1 while it waited for its devices"));
}
