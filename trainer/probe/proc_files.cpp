#include "trainer/probe/proc_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "protocol/base/text.h"
#include "protocol/host/host.h"

namespace ringside::probe {
namespace {

constexpr std::size_t kLimitBytes = std::size_t{1} << 20;

std::filesystem::path pid_file(const std::filesystem::path& root, std::int64_t pid,
                               const char* name) {
  return root / "proc" / std::to_string(pid) / name;
}

}  // namespace

std::optional<std::string> proc_text(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t got = 0;
  while (text.size() < kLimitBytes && (got = ::read(fd, buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  if (got < 0) return std::nullopt;
  return text;
}

std::optional<ProcessStat> process_stat(const std::filesystem::path& root, std::int64_t pid) {
  const auto text = proc_text(pid_file(root, pid, "stat"));
  if (!text) return std::nullopt;
  std::istringstream fields{std::string(stat_fields(*text))};
  ProcessStat stat;
  std::int64_t skipped = 0;
  std::int64_t user = 0;
  std::int64_t system = 0;
  fields >> stat.state >> stat.parent >> stat.group;
  for (int field = 6; field < 14; ++field) fields >> skipped;
  std::int64_t ended_user = 0;
  std::int64_t ended_system = 0;
  fields >> user >> system >> ended_user >> ended_system;
  for (int field = 18; field < 22; ++field) fields >> skipped;
  fields >> stat.start_ticks;
  if (!fields) return std::nullopt;
  stat.cpu_ticks = user + system;
  stat.ended_ticks = ended_user + ended_system;
  return stat;
}

// Any thread may have started a child; proc(5), /proc/PID/task/TID/children.
std::int64_t family_ticks(const std::filesystem::path& root, std::int64_t pid,
                          const ProcessStat& own) {
  constexpr std::size_t kMostProcesses = 4096;
  std::int64_t ticks = own.cpu_ticks + own.ended_ticks;
  std::vector<std::int64_t> family{pid};
  for (std::size_t i = 0; i < family.size() && family.size() < kMostProcesses; ++i) {
    std::error_code error;
    const auto tasks = root / "proc" / std::to_string(family[i]) / "task";
    for (std::filesystem::directory_iterator task(tasks, error), end; !error && task != end;
         task.increment(error)) {
      std::istringstream children(proc_text(task->path() / "children").value_or(""));
      for (std::int64_t child = 0; children >> child;) {
        const auto stat = process_stat(root, child);
        if (!stat) continue;
        ticks += stat->cpu_ticks + stat->ended_ticks;
        family.push_back(child);
      }
    }
  }
  return ticks;
}

std::optional<std::int64_t> resident_bytes(const std::filesystem::path& root, std::int64_t pid) {
  const auto text = proc_text(pid_file(root, pid, "statm"));
  if (!text) return std::nullopt;
  std::istringstream fields(*text);
  std::int64_t total = 0;
  std::int64_t resident = 0;
  if (!(fields >> total >> resident) || total == 0) return std::nullopt;  // a zombie has zeros
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::vector<std::int64_t> process_ids(const std::filesystem::path& root) {
  std::vector<std::int64_t> ids;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root / "proc", error), end; entry != end && !error;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (const auto pid = whole_number(name)) ids.push_back(*pid);
  }
  return ids;
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view key) {
  std::size_t line = 0;
  while (line < text.size()) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    std::string_view rest = text.substr(line, end - line);
    line = end + 1;
    if (!rest.starts_with(key)) continue;
    rest.remove_prefix(key.size());
    if (rest.empty() || rest.front() != ' ') continue;
    const std::size_t digits = rest.find_first_not_of(' ');
    if (digits == std::string_view::npos) continue;
    std::int64_t value = 0;
    const auto parsed = std::from_chars(rest.data() + digits, rest.data() + rest.size(), value);
    if (parsed.ec == std::errc()) return value;
  }
  return std::nullopt;
}

}  // namespace ringside::probe
