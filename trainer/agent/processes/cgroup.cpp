#include "trainer/agent/processes/cgroup.h"

#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

#include "protocol/base/clock.h"
#include "protocol/host/host.h"
#include "protocol/wire/agent_endpoint.h"
#include "trainer/probe/proc_files.h"

namespace ringside::agent {

namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "ringside-";

// Removes a group and its child groups, innermost first. Returns 0, or errno of removing the group
// itself.
int remove_groups(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (fs::is_directory(at->symlink_status(ignored))) remove_groups(at->path());
  }
  return ::rmdir(folder.c_str()) == 0 ? 0 : errno;
}

// "PID:TICKS:BOOT", as in marker_of_this_process(), of an agent that is gone.
bool agent_is_gone(std::string_view marker) {
  const char* const end = marker.data() + marker.size();
  std::int32_t pid = 0;
  std::uint64_t ticks = 0;
  const auto pid_read = std::from_chars(marker.data(), end, pid);
  if (pid_read.ec != std::errc() || pid_read.ptr == end || *pid_read.ptr != ':') return false;
  const auto ticks_read = std::from_chars(pid_read.ptr + 1, end, ticks);
  if (ticks_read.ec != std::errc() || ticks_read.ptr == end || *ticks_read.ptr != ':') return false;
  const std::string_view boot(ticks_read.ptr + 1, end);
  return !boot.starts_with(current_boot_id()) || wire::process_start_ticks(pid) != ticks;
}

// Removes groups of agents that were killed together with their reapers. A group with processes
// stays.
void remove_left_behind(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    struct stat facts {};
    if (name.starts_with(kPrefix) && agent_is_gone(name.substr(kPrefix.size())) &&
        ::lstat(at->path().c_str(), &facts) == 0 && facts.st_uid == ::geteuid())
      remove_groups(at->path());
  }
}

}  // namespace

fs::path make_cgroup(const std::string& name) {
  const std::string own = probe::proc_text("/proc/self/cgroup").value_or(std::string());
  constexpr std::string_view kVersion2 = "0::/";
  const std::size_t line = own.starts_with(kVersion2) ? 0 : own.find("\n0::/");
  if (line == own.npos) return {};
  const std::size_t begin = own.find(kVersion2, line) + kVersion2.size();
  for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    const fs::path parent = fs::path(mount) / own.substr(begin, own.find('\n', begin) - begin);
    std::error_code error;
    if (!fs::exists(parent / "cgroup.procs", error)) continue;
    remove_left_behind(parent);
    const fs::path folder = parent / (std::string(kPrefix) + name);
    if (!fs::create_directory(folder, error)) continue;
    // Moving a rank into the group requires write access to the parent group, too.
    if (::access((folder / "cgroup.kill").c_str(), W_OK) == 0 &&
        ::access((parent / "cgroup.procs").c_str(), W_OK) == 0)
      return folder;
    ::rmdir(folder.c_str());
  }
  return {};
}

void kill_cgroup(const fs::path& folder) {
  if (folder.empty()) return;
  const int fd = ::open((folder / "cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC);
  [[maybe_unused]] const ssize_t written = ::write(fd, "1", 1);
  if (fd >= 0) ::close(fd);
  const std::int64_t until_ns = mono_now_ns() + 4'000'000'000;
  while (remove_groups(folder) == EBUSY && mono_now_ns() < until_ns) {
    pause_ns(10'000'000);
  }
}

}  // namespace ringside::agent
