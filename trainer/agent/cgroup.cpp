#include "trainer/agent/cgroup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>

#include "protocol/base/clock.h"
#include "trainer/probe/proc_files.h"

namespace ringside::agent {

namespace fs = std::filesystem;
namespace {

// With the groups that were made in it, the innermost first. 0, or errno of its own removal.
int remove_groups(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (fs::is_directory(at->symlink_status(ignored))) remove_groups(at->path());
  }
  return ::rmdir(folder.c_str()) == 0 ? 0 : errno;
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
    const fs::path folder = parent / ("ringside-" + name);
    if (!fs::create_directory(folder, error)) continue;
    // To move a rank here the folder above must be ours too.
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
    const timespec pause{0, 10'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace ringside::agent
