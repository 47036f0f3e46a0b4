#include "gui/remote/machines.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/host/user_folders.h"

namespace ringside::remote {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRecent = 10;
constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;

/// Empty: there is no folder for it.
fs::path recent_path() {
  const auto folder = user_folder("XDG_STATE_HOME", ".local/state");
  return folder ? *folder / "ringside" / "machines" : fs::path();
}

std::vector<Address> recent_machines() {
  std::vector<Address> machines;
  const auto text = read_text(recent_path(), kMostFileBytes);
  if (!text) return machines;
  for (const std::string_view line : lines_of(*text)) {
    if (machines.size() == kMostRecent) break;
    if (auto address = parse_address(std::string(line))) machines.push_back(std::move(*address));
  }
  return machines;
}

}  // namespace

std::vector<std::string> config_hosts(std::string_view config) {
  std::vector<std::string> hosts;
  std::istringstream lines{std::string(config)};
  for (std::string line; std::getline(lines, line);) {
    // ssh_config(5) allows "Host=name" for "Host name".
    if (const std::size_t equals = line.find('='); equals != line.npos) line[equals] = ' ';
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || lower_case(word) != "host") continue;
    while (words >> word && !word.starts_with('#')) {
      const bool fits = word.find_first_of("*?!\"") == word.npos && parse_address("ssh://" + word);
      if (fits && std::ranges::find(hosts, word) == hosts.end()) hosts.push_back(word);
    }
  }
  return hosts;
}

std::vector<Address> known_machines() {
  std::vector<Address> machines = recent_machines();
  const auto home = home_folder();
  const auto config = home ? read_text(*home / ".ssh" / "config", kMostFileBytes)
                           : Result<std::string>(std::string());
  for (const std::string& host : config_hosts(config ? *config : std::string())) {
    const Address address{"", host, 0};
    if (std::ranges::find(machines, address) == machines.end()) machines.push_back(address);
  }
  return machines;
}

void remember_machine(const Address& address) {
  const fs::path path = recent_path();
  if (path.empty()) return;
  std::string text = text_of(address) + "\n";
  std::size_t kept = 1;
  for (const Address& other : recent_machines()) {
    if (other != address && kept++ < kMostRecent) text += text_of(other) + "\n";
  }
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  (void)write_text_atomically(path, text);
}

}  // namespace ringside::remote
