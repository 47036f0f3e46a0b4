#include "protocol/host/listening.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kListens = "0A";

// The kernel prints each 32 bits of an address as a number in host byte order.
std::string address_of(std::string_view hex) {
  std::array<std::uint32_t, 4> words{};
  const std::size_t count = hex.size() / 8;
  if (count != 1 && count != words.size()) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view part = hex.substr(8 * i, 8);
    const auto read = std::from_chars(part.data(), part.data() + part.size(), words[i], 16);
    if (read.ec != std::errc()) return {};
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::inet_ntop(count == 1 ? AF_INET : AF_INET6, words.data(), text.data(), text.size()) ==
      nullptr)
    return {};
  const std::string address = text.data();
  // An IPv4 address in an IPv6 socket.
  return address.starts_with("::ffff:") ? address.substr(7) : address;
}

template <class Number>
Number number_in(std::string_view text, int base) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

std::set<std::uint64_t> socket_inodes(std::int32_t pid) {
  constexpr std::string_view kPrefix = "socket:[";
  std::set<std::uint64_t> inodes;
  std::error_code error;
  for (fs::directory_iterator it("/proc/" + std::to_string(pid) + "/fd", error), end;
       !error && it != end; it.increment(error)) {
    std::error_code gone;
    const std::string target = fs::read_symlink(it->path(), gone).string();
    if (!target.starts_with(kPrefix)) continue;
    inodes.insert(number_in<std::uint64_t>(std::string_view(target).substr(kPrefix.size()), 10));
  }
  return inodes;
}

}  // namespace

std::vector<Listener> listeners_in(std::string_view table, const std::set<std::uint64_t>& inodes) {
  std::vector<Listener> found;
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    // sl local_address rem_address st queues timer retransmits uid timeout inode
    std::istringstream words(line);
    const std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
    if (word.size() < 10 || word[3] != kListens) continue;
    if (!inodes.contains(number_in<std::uint64_t>(word[9], 10))) continue;
    const std::size_t colon = std::min(word[1].find(':'), word[1].size() - 1);
    found.push_back({address_of(word[1].substr(0, colon)),
                     number_in<std::uint16_t>(word[1].substr(colon + 1), 16)});
  }
  return found;
}

std::vector<Listener> listeners_of(std::int32_t pid) {
  const auto inodes = socket_inodes(pid);
  std::vector<Listener> all;
  for (const char* kind : {"tcp", "tcp6"}) {
    std::ifstream stream("/proc/" + std::to_string(pid) + "/net/" + kind);
    const std::string table{std::istreambuf_iterator<char>(stream), {}};
    const auto some = listeners_in(table, inodes);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

bool is_loopback(std::string_view address) {
  return address == "::1" || address.starts_with("127.");
}

}  // namespace ringside
