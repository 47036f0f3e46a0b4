#include "trainer/dist/process_groups.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <set>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "protocol/base/clock.h"
#include "protocol/host/listening.h"
#include "protocol/host/network.h"
#include "tests/support/catch.h"
#include "tests/support/fake_cuda.h"
#include "tests/trainer/dist/fake_groups.h"
#include "tests/trainer/dist/rank_threads.h"

using namespace ringside;

namespace {

/// The interface that NCCL is set to when rank 0 joins; empty: NCCL chooses. Rank 1 never joins, so
/// Gloo's group, which is created after NCCL's, gives up.
std::string nccl_interface(const char* set_by_the_user, bool one_node) {
  ::unsetenv("NCCL_SOCKET_IFNAME");
  if (set_by_the_user != nullptr) ::setenv("NCCL_SOCKET_IFNAME", set_by_the_user, 1);
  testing::FakeCuda cuda;
  dist::GroupOptions options;
  options.timeout = std::chrono::milliseconds(100);
  options.loopback = one_node;
  options.cuda = &cuda;
  options.device_index = 0;
  const auto groups =
      dist::make_process_groups(c10::make_intrusive<c10d::HashStore>(), 0, 2, options);
  CHECK_FALSE(groups);
  ::unsetenv("NCCL_SOCKET_IFNAME");
  return cuda.nccl_interface.value_or("no group was made");
}

// Addresses at which the two ranks of a group listen while it exists.
std::set<std::string> gloo_addresses(const dist::GroupOptions& options) {
  std::array<std::set<std::string>, 2> seen;
  testing::run_ranks(
      2,
      [&](const dist::ProcessGroups& groups) {
        for (const Listener& one : listeners_of(::getpid()))
          seen[static_cast<std::size_t>(groups.rank)].insert(one.address);
      },
      std::chrono::seconds(60), testing::Leaving::kTogether, options);
  seen[0].merge(seen[1]);
  return seen[0];
}

}  // namespace

TEST_CASE("S1: between nodes Gloo listens at one address, or on the configured interface") {
  const auto all = network_interfaces();
  const auto network = std::find_if(all.begin(), all.end(),
                                    [](const NetworkInterface& one) { return !one.loopback; });
  if (network == all.end()) {
    std::cout << "SKIPPED: this host has no interface but loopback\n";
    return;
  }
  dist::GroupOptions options;
  options.loopback = false;
  options.address = network->address;
  CHECK(gloo_addresses(options) == std::set<std::string>{network->address});
  ::setenv("GLOO_SOCKET_IFNAME", "lo", 1);
  const auto chosen = gloo_addresses(options);
  ::unsetenv("GLOO_SOCKET_IFNAME");
  CHECK(chosen == std::set<std::string>{"127.0.0.1"});
}

TEST_CASE("S1: on one node NCCL is set to the loopback interface before its group is created") {
  CHECK(nccl_interface(nullptr, true) == "=lo");
}

TEST_CASE("NCCL_SOCKET_IFNAME of the user is kept, and between nodes NCCL chooses its interface") {
  CHECK(nccl_interface("eth1", true) == "eth1");
  CHECK(nccl_interface(nullptr, false).empty());
}

TEST_CASE("Gloo accepts a list of interfaces, as in Python") {
  ::setenv("GLOO_SOCKET_IFNAME", "lo,lo", 1);
  dist::GroupOptions options;
  options.timeout = std::chrono::milliseconds(100);
  // Rank 1 never joins, so that is the failure, and not the interfaces.
  const auto groups =
      dist::make_process_groups(c10::make_intrusive<c10d::HashStore>(), 0, 2, options);
  ::unsetenv("GLOO_SOCKET_IFNAME");
  REQUIRE_FALSE(groups);
  INFO(groups.error().message);
  CHECK(groups.error().message.find("lo,lo") == std::string::npos);
}

TEST_CASE("at the end the GPU is waited for, then the ranks, then the connections are closed") {
  testing::FakeGroups fake;
  testing::FakeCuda cuda;
  std::vector<std::string> calls;
  cuda.calls = fake.gradients->calls = fake.metrics->calls = &calls;
  dist::close_groups(fake.groups, &cuda);
  CHECK(calls == std::vector<std::string>{"cuda: synchronize", "metrics: barrier",
                                          "gradients: shutdown", "metrics: shutdown"});
  dist::close_groups(dist::ProcessGroups{}, nullptr);  // one rank has nothing to close
}

TEST_CASE("no rank closes its groups before the last one has come to the end") {
  std::atomic<int> came{0};
  std::array<int, 3> seen{};
  testing::run_ranks(3, [&](const auto& groups) {
    const std::int64_t begin_ns = mono_now_ns();
    while (groups.rank == 2 && mono_now_ns() < begin_ns + 100'000'000) {
    }
    ++came;
    dist::close_groups(groups, nullptr);
    seen[static_cast<std::size_t>(groups.rank)] = came;
  });
  CHECK(seen == std::array<int, 3>{3, 3, 3});
}
