#include "gui/window/own_priority.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "gui/session/thread_starter.h"
#include "protocol/base/descriptor.h"

namespace ringside::window {
namespace {

constexpr int kNice = 19;
constexpr double kDataFrameS = 1.0 / 30;

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
/// False where it has to be asked again: the kernel takes ten of these in a second, of all users.
bool set_session_nice(int nice) {
  if (::getsid(0) != ::getpid()) return true;
  const Descriptor file(::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC));
  const std::string value = std::to_string(nice);
  return file.get() < 0 || ::write(file.get(), value.data(), value.size()) >= 0 || errno != EAGAIN;
}

}  // namespace

// The least priority still has a share, and between exchanges the ranks' cores look free; what is
// drawn then is what the next step finds missing in its caches.
double data_frame_s(double frame_cpu_s, bool full) {
  return full ? std::clamp(frame_cpu_s * 50, kDataFrameS, 1.0) : kDataFrameS;
}

void OwnPriority::step_back(bool back) {
  const int nice = back ? kNice : 0;
  if (back != back_) {
    set_nice(nice);
    session_follows_ = false;
  }
  back_ = back;
  if (!session_follows_) session_follows_ = set_session_nice(nice);
}

}  // namespace ringside::window
