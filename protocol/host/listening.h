// Where a process listens for TCP connections, as the kernel tells in /proc. The reading of a table
// is pure; any thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

struct Listener {
  std::string address;  ///< "127.0.0.1", "::1"
  std::uint16_t port = 0;
  bool operator==(const Listener&) const = default;
};

/// Listening sockets among those with these inodes, from a table like /proc/net/tcp or tcp6.
std::vector<Listener> listeners_in(std::string_view table, const std::set<std::uint64_t>& inodes);

/// Listening sockets of a process, of both kinds; empty when it is gone or is not ours.
std::vector<Listener> listeners_of(std::int32_t pid);

/// Whether only this machine reaches an address as above.
bool is_loopback(std::string_view address);

}  // namespace ringside
