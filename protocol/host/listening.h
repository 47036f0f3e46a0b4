// Finds where a process listens for TCP connections, from /proc. Parsing a table is pure; any
// thread.
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

/// The listening sockets in a table like /proc/net/tcp or tcp6 whose inode is in `inodes`.
std::vector<Listener> listeners_in(std::string_view table, const std::set<std::uint64_t>& inodes);

/// Listening IPv4 and IPv6 sockets of a process; empty when it has ended or belongs to another
/// user.
std::vector<Listener> listeners_of(std::int32_t pid);

/// Whether an address in the format above can be reached only from this machine.
bool is_loopback(std::string_view address);

}  // namespace ringside
