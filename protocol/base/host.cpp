#include "protocol/base/host.h"

#include <unistd.h>

#include <array>
#include <fstream>

namespace ringside {

std::string current_boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

bool is_stopped(std::int64_t pid, std::string_view name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  // "pid (name) state", and the name may hold anything; proc(5).
  const std::size_t begin = line.find('(');
  const std::size_t end = line.rfind(") ");
  if (begin == line.npos || end == line.npos || end + 2 >= line.size()) return false;
  const auto own = std::string_view(line).substr(begin + 1, end - begin - 1);
  return line[end + 2] == 'T' && (name.empty() || own == name);
}

}  // namespace ringside
