#include "protocol/host/host.h"

#include <unistd.h>

#include <array>
#include <fstream>

namespace ringside {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

std::string_view stat_fields(std::string_view stat) {
  const std::size_t end = stat.rfind(") ");
  return end == stat.npos ? std::string_view() : stat.substr(end + 2);
}

bool is_stopped(std::int64_t pid, std::string_view name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::string_view fields = stat_fields(line);
  const std::size_t begin = line.find('(');
  if (!fields.starts_with('T') || begin == line.npos) return false;
  const std::size_t end = line.size() - fields.size() - 2;
  return name.empty() || std::string_view(line).substr(begin + 1, end - begin - 1) == name;
}

}  // namespace ringside
