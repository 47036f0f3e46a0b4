#include "gui/remote/machines.h"

#include <glob.h>

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

/// Returns an empty path if there is no state folder.
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

/// Returns the words after a keyword in a line of ssh_config(5); nothing if the line has another
/// keyword.
std::vector<std::string> words_behind(std::string_view keyword, std::string line) {
  // ssh_config(5) allows "Host=name" for "Host name".
  if (const std::size_t equals = line.find('='); equals != line.npos) line[equals] = ' ';
  std::istringstream words(line);
  std::vector<std::string> found;
  std::string word;
  if (!(words >> word) || lower_case(word) != keyword) return found;
  while (words >> word && !word.starts_with('#')) found.push_back(std::move(word));
  return found;
}

std::vector<fs::path> files_of(const std::string& pattern) {
  std::vector<fs::path> files;
  glob_t found{};
  if (::glob(pattern.c_str(), GLOB_TILDE, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return files;
}

/// Returns the lines of a configuration and of the files that it includes, to the depth that ssh
/// allows. `folder`: base of relative paths.
std::string whole_config(const fs::path& file, const fs::path& folder, int depth = 0) {
  constexpr int kDeepest = 16;
  std::string whole;
  const auto text = read_text(file, kMostFileBytes);
  for (const std::string_view line : lines_of(text ? std::string_view(*text) : "")) {
    whole.append(line).append("\n");
    for (const std::string& name : words_behind("include", std::string(line))) {
      const bool from_home = name.starts_with('~');
      for (const fs::path& other : files_of(from_home ? name : (folder / name).string())) {
        if (depth < kDeepest && whole.size() < kMostFileBytes)
          whole += whole_config(other, folder, depth + 1);
      }
    }
  }
  return whole;
}

}  // namespace

std::vector<std::string> config_hosts(std::string_view config) {
  std::vector<std::string> hosts;
  for (const std::string_view line : lines_of(config)) {
    for (const std::string& word : words_behind("host", std::string(line))) {
      const bool fits = word.find_first_of("*?!\"") == word.npos && parse_address("ssh://" + word);
      if (fits && std::ranges::find(hosts, word) == hosts.end()) hosts.push_back(word);
    }
  }
  return hosts;
}

std::vector<Address> known_machines() {
  std::vector<Address> machines = recent_machines();
  const auto home = home_folder();
  const fs::path folder = home ? *home / ".ssh" : fs::path();
  const std::string config = home ? whole_config(folder / "config", folder) : std::string();
  for (const std::string& host : config_hosts(config)) {
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
