#include "protocol/host/network.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "protocol/base/text.h"
#include "protocol/host/platform.h"

namespace ringside {
namespace {

std::string text_of(const sockaddr_in& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  const char* done = ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  return done == nullptr ? "" : done;
}

Result<sockaddr_in> socket_address(const std::string& address, int port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, address.c_str(), &to.sin_addr) == 1) return to;
  return bad_request("\"" + address + "\" is not an IPv4 address");
}

/// Rank of an interface when the user names none; the highest is chosen.
int fitness(const NetworkInterface& one) {
  if (one.loopback) return 0;
  if (!one.running) return 1;
  return one.default_route ? 3 : 2;
}

}  // namespace

std::string default_route_in(const std::string& table) {
  std::istringstream lines(table);
  std::string line;
  while (std::getline(lines, line)) {
    // Iface Destination Gateway Flags RefCnt Use Metric Mask ...
    std::istringstream words(line);
    const std::vector<std::string> route{std::istream_iterator<std::string>(words), {}};
    if (route.size() > 7 && route[1] == "00000000" && route[7] == "00000000") return route[0];
  }
  return {};
}

std::vector<NetworkInterface> network_interfaces() {
  std::ifstream routes("/proc/net/route");
  const std::string outward =
      default_route_in({std::istreambuf_iterator<char>(routes), std::istreambuf_iterator<char>()});
  std::vector<NetworkInterface> found;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    if ((one->ifa_flags & IFF_UP) == 0) continue;
    sockaddr_in address{};
    std::memcpy(&address, one->ifa_addr, sizeof address);
    found.push_back({one->ifa_name, text_of(address), (one->ifa_flags & IFF_LOOPBACK) != 0,
                     (one->ifa_flags & IFF_RUNNING) != 0, one->ifa_name == outward});
  }
  ::freeifaddrs(all);
  return found;
}

Result<NetworkInterface> choose_interface(const std::string& wanted,
                                          const std::vector<NetworkInterface>& all,
                                          const std::string& setting) {
  const auto found =
      wanted.empty() ? std::ranges::max_element(
                           all, [](const NetworkInterface& a,
                                   const NetworkInterface& b) { return fitness(a) < fitness(b); })
                     : std::ranges::find_if(all, [&](const NetworkInterface& one) {
                         return one.name == wanted || one.address == wanted;
                       });
  if (found != all.end()) return *found;
  std::string there;
  for (const NetworkInterface& one : all) add_listed(there, one.name + " (" + one.address + ")");
  return bad_request(setting + ": this host has no interface \"" + wanted + "\"; it has " +
                     (there.empty() ? "none that is up" : there));
}

Result<NetworkInterface> interface_to(const std::string& address,
                                      const std::vector<NetworkInterface>& all) {
  const auto to = socket_address(address, 9);  // any port: connecting a UDP socket sends no packet
  if (!to) return pass(to);
  sockaddr_in own{};
  socklen_t size = sizeof own;
  const int fd = open_socket(AF_INET, SOCK_DGRAM);
  const bool known = fd >= 0 &&
                     ::connect(fd, reinterpret_cast<const sockaddr*>(&*to), sizeof *to) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!known) return failure("there is no way to " + address + ": " + std::strerror(error));
  return choose_interface(text_of(own), all, "the way to " + address);
}

std::vector<std::string> ipv4_addresses(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* all = nullptr;
  std::vector<std::string> found;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &all) != 0) return found;
  for (const addrinfo* one = all; one != nullptr; one = one->ai_next) {
    sockaddr_in address{};
    std::memcpy(&address, one->ai_addr, sizeof address);
    found.push_back(text_of(address));
  }
  ::freeaddrinfo(all);
  return found;
}

Result<void> reach(const std::string& address, int port, std::int64_t timeout_ns) {
  const auto to = RINGSIDE_TRY(socket_address(address, port));
  const int fd = open_socket(AF_INET, SOCK_STREAM, true);
  if (fd < 0) return failure(std::strerror(errno));
  int error = ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd connected{fd, POLLOUT, 0};
    const int ready = ::poll(&connected, 1, static_cast<int>(timeout_ns / 1'000'000));
    socklen_t size = sizeof error;
    if (ready == 0) error = ETIMEDOUT;
    if (ready > 0) ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  ::close(fd);
  if (error != 0) return failure(std::strerror(error));
  return {};
}

}  // namespace ringside
