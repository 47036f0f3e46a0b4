#include "gui/window/own_priority.h"

#include <sys/resource.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "gui/session/thread_starter.h"

namespace ringside::window {
namespace {

constexpr int kNice = 10;

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

}  // namespace

void OwnPriority::step_back(bool back) {
  if (back == back_) return;
  back_ = back;
  set_nice(back ? kNice : 0);
}

}  // namespace ringside::window
