#include "gui/session/file_manager.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>

namespace ringside::session {

Result<void> show_in_file_manager(const std::string& folder) {
  std::string program = "xdg-open";
  std::string path = folder;
  std::array<char*, 3> arguments{program.data(), path.data(), nullptr};
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // In a session of its own, so that it outlives the window and its signals.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = -1;
  const int failed =
      ::posix_spawnp(&pid, program.c_str(), nullptr, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failed == 0) {
    std::thread([pid] { ::waitpid(pid, nullptr, 0); }).detach();
    return {};
  }
  return failure(
      fmt::format("This desktop has no program to show folders (xdg-open: {}). The folder "
                  "is {}.",
                  std::strerror(failed), folder));
}

}  // namespace ringside::session
