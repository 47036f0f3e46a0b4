// Which addresses a process listens on, as the kernel tells in /proc. The reading of a table is
// pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::doctor {

/// Of the sockets with these inodes in a table like /proc/net/tcp or tcp6: the local addresses of
/// those that listen, "127.0.0.1".
std::vector<std::string> listening_in(std::string_view table,
                                      const std::set<std::uint64_t>& inodes);

/// TCP, both kinds; empty when the process is gone or is not ours.
std::vector<std::string> listening_addresses(std::int32_t pid);

}  // namespace ringside::doctor
