// Promise S1: nothing listens off this host.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"

namespace ringside::wire {
namespace {

// Inodes of this process's own sockets.
std::set<std::string> own_sockets() {
  std::set<std::string> inodes;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with("socket:[")) inodes.insert(target.substr(8, target.size() - 9));
  }
  return inodes;
}

// Local addresses on which this process listens, as /proc/net writes them.
std::vector<std::string> listening(const char* table) {
  const auto own = own_sockets();
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);
  std::vector<std::string> addresses;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::vector<std::string> field(10);
    for (auto& one : field) fields >> one;
    constexpr const char* kListen = "0A";
    if (field[3] == kListen && own.contains(field[9])) addresses.push_back(field[1]);
  }
  return addresses;
}

TEST_CASE("S1: an agent listens on two loopback ports and nowhere else") {
  const TestAgent agent;
  const auto v4 = listening("/proc/net/tcp");
  REQUIRE(v4.size() == 2);
  for (const auto& address : v4) CHECK(address.substr(0, 9) == "0100007F:");
  CHECK(listening("/proc/net/tcp6").empty());
  CHECK(agent.endpoint.telemetry_endpoint.starts_with("tcp://127.0.0.1:"));
  CHECK(agent.endpoint.viewer_endpoint.starts_with("tcp://127.0.0.1:"));
  CHECK(agent.endpoint.telemetry_endpoint != agent.endpoint.viewer_endpoint);
}

TEST_CASE("S1: a rank and a viewer listen nowhere") {
  AgentEndpoint endpoint;
  {
    TestAgent agent;
    endpoint = agent.endpoint;
  }
  const auto sender = TelemetrySender::connect(endpoint, 0, 0, 0);
  const auto viewer = FollowClient::connect(endpoint);
  REQUIRE(sender);
  REQUIRE(viewer);
  CHECK(listening("/proc/net/tcp").empty());
  CHECK(listening("/proc/net/tcp6").empty());
}

}  // namespace
}  // namespace ringside::wire
