#include "gui/window/own_priority.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "gui/session/thread_starter.h"

namespace ringside::window {
namespace {

constexpr int kNice = 19;

/// Of each thread: on Linux they have a priority each, and a name.
void set_nice(int nice) {
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name == session::kStarterThread) continue;
    const std::string id = task.path().filename();
    id_t thread = 0;
    std::from_chars(id.data(), id.data() + id.size(), thread);
    if (thread > 0) ::setpriority(PRIO_PROCESS, thread, nice);
  }
}

/// Where the kernel groups by session (sched(7), autogroup), only the group's value counts against
/// other sessions, as the ranks have. That of another's session, as a terminal's, is left alone.
void set_session_nice(int nice) {
  if (::getsid(0) == ::getpid()) std::ofstream("/proc/self/autogroup") << nice;
}

}  // namespace

void OwnPriority::step_back(bool back) {
  if (back == back_) return;
  back_ = back;
  set_nice(back ? kNice : 0);
  set_session_nice(back ? kNice : 0);
}

}  // namespace ringside::window
