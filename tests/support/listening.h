// The TCP addresses on which a process listens, as the kernel's tables say it (and `ss` prints it).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::testing {

/// Inodes of the sockets that a process of this user has open.
inline std::set<std::string> sockets_of(pid_t pid) {
  std::set<std::string> inodes;
  std::error_code gone;
  const auto folder = "/proc/" + std::to_string(pid) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with("socket:[")) inodes.insert(target.substr(8, target.size() - 9));
  }
  return inodes;
}

/// "0100007F:1F90", of IPv6 with 32 digits before the colon.
inline std::vector<std::string> listening(pid_t pid) {
  const auto own = sockets_of(pid);
  std::vector<std::string> addresses;
  for (const char* table : {"/net/tcp", "/net/tcp6"}) {
    std::ifstream file("/proc/" + std::to_string(pid) + table);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::vector<std::string> field(10);
      for (auto& one : field) fields >> one;
      constexpr const char* kListen = "0A";
      if (field[3] == kListen && own.contains(field[9])) addresses.push_back(field[1]);
    }
  }
  return addresses;
}

/// 127.0.0.0/8 (whose bytes stand in the kernel's tables from the last to the first) or ::1.
inline bool is_loopback_entry(std::string_view address) {
  const auto host = address.substr(0, address.find(':'));
  if (host.size() == 8) return host.ends_with("7F");
  return host == "00000000000000000000000001000000" ||
         (host.starts_with("0000000000000000FFFF0000") && host.ends_with("7F"));
}

}  // namespace ringside::testing
