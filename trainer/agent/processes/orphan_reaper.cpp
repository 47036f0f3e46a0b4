#include "trainer/agent/processes/orphan_reaper.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "protocol/base/clock.h"
#include "trainer/agent/processes/cgroup.h"
#include "trainer/agent/processes/container.h"
#include "trainer/agent/processes/process_sweep.h"
#include "trainer/probe/proc_files.h"

namespace ringside::agent {
namespace {

constexpr const char* kName = "ringside-reaper";  // 15 bytes, the longest process name

enum class Order : std::int32_t { kGuard = 1, kRelease = 2, kDismiss = 3 };

struct ReaperOrder {
  Order order;
  std::int32_t group;
};

void kill_all(const std::vector<std::int64_t>& groups, const std::string& marker) {
  for (std::int64_t group : groups) ::kill(static_cast<pid_t>(-group), SIGKILL);
  // A helper may be forking at this moment: repeat the search until it finds nothing twice in a
  // row, for a few seconds at most.
  const std::int64_t until_ns = mono_now_ns() + 4'000'000'000;
  for (int empty = 0; empty < 2 && mono_now_ns() < until_ns;) {
    const auto found = find_processes(groups, marker);
    for (std::int64_t pid : found) ::kill(static_cast<pid_t>(pid), SIGKILL);
    empty = found.empty() ? empty + 1 : 0;
    pause_ns(10'000'000);
  }
}

[[noreturn]] void serve(int pipe, const std::string& marker,
                        const std::vector<std::filesystem::path>& leftovers,
                        const std::filesystem::path& cgroup) {
  ::setsid();
  ::prctl(PR_SET_NAME, kName);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2})
    std::signal(signal, SIG_IGN);
  ::dup2(pipe, 0);
  ::close_range(1, ~0U, 0);
  std::vector<std::int64_t> groups;
  ReaperOrder message{};
  for (;;) {
    const ssize_t got = ::read(0, &message, sizeof message);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof message)) break;  // the agent is gone
    if (message.order == Order::kDismiss) ::_exit(0);
    std::erase(groups, message.group);
    if (message.order == Order::kGuard) groups.push_back(message.group);
  }
  for (const auto& path : leftovers) ::unlink(path.c_str());
  kill_all(groups, marker);
  kill_cgroup(cgroup);
  std::set<std::filesystem::path> runs;
  for (const auto& path : leftovers) runs.insert(path.parent_path());
  for (const auto& run : runs) end_containers(run);
  ::_exit(0);
}

void send(int pipe, ReaperOrder message) {
  // Eight bytes are written to a pipe whole, or not at all when the reaper is gone.
  while (::write(pipe, &message, sizeof message) < 0 && errno == EINTR) {
  }
}

}  // namespace

OrphanReaper::OrphanReaper(std::string marker, std::vector<std::filesystem::path> leftovers)
    : marker_(std::move(marker)), leftovers_(std::move(leftovers)), cgroup_(make_cgroup(marker_)) {}

Result<OrphanReaper> OrphanReaper::start(const std::string& marker,
                                         const std::vector<std::filesystem::path>& leftovers) {
  OrphanReaper reaper(marker, leftovers);
  RINGSIDE_TRY(reaper.launch());
  return reaper;
}

Result<void> OrphanReaper::launch() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  const pid_t pid = ::fork();
  if (pid < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return failure(std::string("cannot start the reaper of helper processes: ") +
                   std::strerror(errno));
  }
  if (pid == 0) {
    ::close(ends[1]);
    serve(ends[0], marker_, leftovers_, cgroup_);
  }
  ::close(ends[0]);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  pid_ = pid;
  pipe_ = ends[1];
  return {};
}

OrphanReaper::OrphanReaper(OrphanReaper&& other) noexcept
    : marker_(std::move(other.marker_)),
      leftovers_(std::move(other.leftovers_)),
      cgroup_(std::exchange(other.cgroup_, {})),
      groups_(std::move(other.groups_)),
      pid_(other.pid_),
      pipe_(std::exchange(other.pipe_, -1)) {}

OrphanReaper::~OrphanReaper() {
  kill_cgroup(cgroup_);
  if (pipe_ < 0) return;
  send(pipe_, {Order::kDismiss, 0});
  ::close(pipe_);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool OrphanReaper::is_one(pid_t pid) {
  return probe::proc_text("/proc/" + std::to_string(pid) + "/comm") == std::string(kName) + "\n";
}

bool OrphanReaper::revive() {
  if (pipe_ < 0 || ::waitpid(pid_, nullptr, WNOHANG) != pid_) return false;
  ::close(std::exchange(pipe_, -1));
  if (!launch()) return false;
  for (const pid_t group : groups_) send(pipe_, {Order::kGuard, group});
  return true;
}

void OrphanReaper::guard(pid_t group) {
  std::erase(groups_, group);
  groups_.push_back(group);
  send(pipe_, {Order::kGuard, group});
}

void OrphanReaper::release(pid_t group) {
  std::erase(groups_, group);
  send(pipe_, {Order::kRelease, group});
}

}  // namespace ringside::agent
