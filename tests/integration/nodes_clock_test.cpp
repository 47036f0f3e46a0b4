// Two nodes whose monotonic clocks are an hour apart: node 1 runs in a time namespace of its own.
// Needs root, and a kernel with time namespaces.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "protocol/messages/spec/spec_inject.h"
#include "tests/integration/agent/agent_rig.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/integration/two_networks.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

namespace {

constexpr int kNewTime = 0x80;  // CLONE_NEWTIME, which older headers lack
constexpr std::int64_t kAheadNs = 3'600'000'000'000;

/// While it lives, processes started by this one have a monotonic clock that is ahead.
class OtherClock {
 public:
  OtherClock() : home_(::open("/proc/self/ns/time", O_RDONLY | O_CLOEXEC)) {
    // Returning to the old namespace is tried first, since a process with several threads cannot.
    made_ = home_ >= 0 && ::setns(home_, kNewTime) == 0 && ::unshare(kNewTime) == 0 && set_ahead();
  }
  ~OtherClock() {
    if (home_ < 0) return;
    (void)::setns(home_, kNewTime);
    ::close(home_);
  }
  OtherClock(const OtherClock&) = delete;
  OtherClock& operator=(const OtherClock&) = delete;
  bool made() const { return made_; }

 private:
  static bool set_ahead() {
    constexpr std::string_view kText = "monotonic 3600 0\n";
    const int fd = ::open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    const bool set =
        fd >= 0 && ::write(fd, kText.data(), kText.size()) == static_cast<ssize_t>(kText.size());
    if (fd >= 0) ::close(fd);
    return set;
  }

  int home_;
  bool made_ = false;
};

// A run with one rank on each node, one of which is late in every step.
runlog::RunFolder delayed_run(AgentRig& rig, Rank late, const std::string& interface) {
  return rig.make_run(2, {}, [&](messages::RunSpec& spec) {
    spec.program.argv.clear();
    spec.devices.nodes = 2;
    spec.devices.interface = interface;
    spec.devices.when_busy = "share";
    spec.devices.threads = 1;
    spec.data.root = rig.path().string();
    spec.data.train_samples = 640;
    spec.data.test_samples = 128;
    spec.train.epochs = 1000;
    spec.train.max_steps = 120;
    spec.evaluate.mode = "none";
    spec.inject.fault = "delay_backward";
    spec.inject.rank = late;
    spec.inject.delay_ms = 30;
  });
}

void check_named(const runlog::RunFolder& run, Rank late) {
  const CliRig cli;
  const auto shown = cli.json_of({"show", run.path().string(), "--json"});
  const auto& alerts = shown.at("alerts");
  INFO(alerts.dump());
  const auto found = std::find_if(alerts.begin(), alerts.end(), [](const auto& alert) {
    return alert.at("kind") == "late_rank";
  });
  REQUIRE(found != alerts.end());
  CHECK(found->at("rank") == late);
  CHECK(found->at("phase") == "backward");
}

/// Permits the start of a run with an injected fault.
struct FaultsAllowed {
  FaultsAllowed() { ::setenv(messages::kAllowFaults, "1", 1); }
  ~FaultsAllowed() { ::unsetenv(messages::kAllowFaults); }
};

}  // namespace

TEST_CASE("R17: the late rank is named although the clocks of the nodes are an hour apart") {
  if (!OtherClock().made()) {
    std::cout << "SKIPPED: time namespaces need root, a kernel that has them and one thread\n";
    return;
  }
  const FaultsAllowed allowed;
  AgentRig rig;
  const Rank late = GENERATE(Rank{0}, Rank{1});
  const auto run = delayed_run(rig, late, "lo");
  const pid_t head = rig.start({run}, {}, {"--node", "0"});
  pid_t member = -1;
  {
    const OtherClock ahead;
    REQUIRE(ahead.made());
    member = rig.start({run}, {}, {"--node", "1"});
  }
  CHECK(rig.wait_exit(head, 120) == 0);
  CHECK(rig.wait_exit(member, 20) == 0);
  const auto clocks = all_of<messages::ClockSync>(records_of(run));
  REQUIRE_FALSE(clocks.empty());
  for (const auto& sync : clocks) CHECK(std::abs(sync.offset_ns + kAheadNs) <= sync.uncertainty_ns);
  check_named(run, late);
}

TEST_CASE(
    "R17: the late rank is named with clocks an hour apart and a slow network that loses packets") {
  if (!OtherClock().made()) {
    std::cout << "SKIPPED: time namespaces need root, a kernel that has them and one thread\n";
    return;
  }
  TwoNetworks networks(1ms, 1);
  if (!is_there(networks)) return;
  const FaultsAllowed allowed;
  AgentRig rig;
  const Rank late = GENERATE(Rank{0}, Rank{1});
  const auto run = delayed_run(rig, late, "ring0");
  const pid_t head = networks.start(rig, run, 0);
  pid_t member = -1;
  {
    const OtherClock ahead;
    REQUIRE(ahead.made());
    member = networks.start(rig, run, 1);
  }
  CHECK(rig.wait_exit(head, 120) == 0);
  CHECK(rig.wait_exit(member, 20) == 0);
  CHECK(networks.lost() > 0);
  const auto clocks = all_of<messages::ClockSync>(records_of(run));
  REQUIRE_FALSE(clocks.empty());
  for (const auto& sync : clocks) CHECK(std::abs(sync.offset_ns + kAheadNs) <= sync.uncertainty_ns);
  check_named(run, late);
}
