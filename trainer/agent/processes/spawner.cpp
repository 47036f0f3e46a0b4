#include "trainer/agent/processes/spawner.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "trainer/agent/processes/container.h"
#include "trainer/agent/processes/orphan_reaper.h"
#include "trainer/agent/processes/process_sweep.h"
#include "trainer/probe/proc_files.h"

namespace ringside::agent {
namespace {

// Descriptors in a rank, beyond 0, 1 and 2, which programs use.
constexpr int kLifelineFd = 3;
constexpr int kListenFd = 4;

// Exit code of `docker run` when docker itself failed.
constexpr int kLostService = 125;

std::string why(const std::string& what) { return what + ": " + std::strerror(errno); }

Result<std::string> find_program(const std::string& name,
                                 const std::vector<std::string>& environment,
                                 const std::filesystem::path& cwd) {
  if (name.find('/') != std::string::npos) return name;
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) path = entry.substr(5);
  }
  std::istringstream folders(path);
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    const auto candidate = cwd / (folder.empty() ? std::string(".") : folder) / name;
    // access() also accepts folders, and there is one named python beside our programs.
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0)
      return candidate.string();
  }
  return failure("no program \"" + name + "\" in PATH: give its full path in program.argv");
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Everything that the child needs, prepared before the fork: after it, the child may not allocate.
struct ChildPlan {
  const char* cwd;  // empty: unchanged
  const char* program;
  char* const* argv;
  char* const* environment;
  int out;
  int err;
  int null;
  int lifeline;
  int listener;  // -1: none
  int cgroup;    // cgroup.procs of the control group; -1: none
  int report;    // receives errno on failure; closed by a successful exec
  pid_t parent;
  const cpu_set_t* cpus;  // null: unchanged
};

[[noreturn]] void become(const ChildPlan& plan) {
  const auto give_up = [](int report) {
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(report, &error, sizeof error);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  [[maybe_unused]] const ssize_t joined = ::write(plan.cgroup, "0", 1);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // the agent ended before the call above
  // All descriptors are first moved up, so that none is overwritten before it is moved to its final
  // number.
  constexpr int kAbove = kListenFd + 1;
  const int report = ::fcntl(plan.report, F_DUPFD_CLOEXEC, kAbove);
  if (report < 0) give_up(plan.report);
  const int out = ::fcntl(plan.out, F_DUPFD, kAbove);
  const int err = ::fcntl(plan.err, F_DUPFD, kAbove);
  const int null = ::fcntl(plan.null, F_DUPFD, kAbove);
  const int lifeline = ::fcntl(plan.lifeline, F_DUPFD, kAbove);
  const bool listens = plan.listener >= 0;
  const int listener = listens ? ::fcntl(plan.listener, F_DUPFD, kAbove) : -1;
  if (out < 0 || err < 0 || null < 0 || lifeline < 0 || (listens && listener < 0)) give_up(report);
  if (::dup2(null, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0 ||
      ::dup2(lifeline, kLifelineFd) < 0 || (listens && ::dup2(listener, kListenFd) < 0)) {
    give_up(report);
  }
  if (*plan.cwd != '\0' && ::chdir(plan.cwd) != 0) give_up(report);
  // CPUs may have been taken from the machine since; a rank trains on others then.
  if (plan.cpus != nullptr) (void)::sched_setaffinity(0, sizeof *plan.cpus, plan.cpus);
  ::close_range((listens ? kListenFd : kLifelineFd) + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  // Slurm sends these signals to every process of a step, although only the agent uses them. A
  // program can still install handlers.
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR2, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(plan.program, plan.argv, plan.environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &error, sizeof error);
  ::_exit(127);
}

/// Both ends of a pseudoterminal; -1 when none is requested or available.
struct Terminal {
  int ours = -1;
  int theirs = -1;
};

// Creates a terminal for programs that query its size or settings. There is no input: every read
// returns end of file. Writing fails, since the output would go nowhere.
Terminal make_terminal() {
  Terminal made;
  made.ours = ::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  char name[64] = {};
  if (made.ours < 0 || ::grantpt(made.ours) != 0 || ::unlockpt(made.ours) != 0 ||
      ::ptsname_r(made.ours, name, sizeof name) != 0)
    return made;
  made.theirs = ::open(name, O_RDONLY | O_NOCTTY | O_CLOEXEC);
  const winsize size{24, 80, 0, 0};
  ::ioctl(made.theirs, TIOCSWINSZ, &size);
  termios settings{};
  if (::tcgetattr(made.theirs, &settings) == 0) {
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    settings.c_cc[VMIN] = settings.c_cc[VTIME] = 0;  // reads do not block
    ::tcsetattr(made.theirs, TCSANOW, &settings);
  }
  return made;
}

bool wants_terminal(const std::vector<std::string>& environment) {
  return std::find(environment.begin(), environment.end(), "RINGSIDE_TTY=1") != environment.end();
}

cpu_set_t set_of(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return set;
}

int create_file(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

}  // namespace

Result<PosixSpawner> PosixSpawner::make(const std::string& marker, OrphanReaper& reaper) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return failure(why("cannot make a pipe"));
  return PosixSpawner(marker, reaper, ends[0], ends[1]);
}

Result<Spawned> PosixSpawner::spawn(const SpawnRequest& request) {
  if (!request.cwd.empty() && ::access(request.cwd.c_str(), X_OK) != 0)
    return failure(why("cannot run in " + request.cwd.string()));
  const auto program =
      RINGSIDE_TRY(find_program(request.argv.at(0), request.environment, request.cwd));
  std::vector<std::string> environment = request.environment;
  // If this agent was started by a rank, the environment has these already, and the first of two
  // entries would count.
  std::erase_if(environment, [](const std::string& entry) {
    return entry.starts_with("RINGSIDE_LIFELINE_FD=") || entry.starts_with("RINGSIDE_LISTEN_FD=");
  });
  environment.push_back("RINGSIDE_LIFELINE_FD=" + std::to_string(kLifelineFd));
  if (request.listener >= 0)
    environment.push_back("RINGSIDE_LISTEN_FD=" + std::to_string(kListenFd));
  const std::vector<char*> argv = pointers(request.argv);
  const std::vector<char*> envp = pointers(environment);
  const Descriptor out(create_file(request.folder / "stdout"));
  const Descriptor err(create_file(request.folder / "stderr"));
  Terminal terminal = wants_terminal(environment) ? make_terminal() : Terminal();
  const Descriptor slave(terminal.theirs);
  Descriptor master(terminal.ours);
  const Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int input = slave.get() >= 0 ? slave.get() : null.get();
  const Descriptor cgroup(
      reaper_->cgroup().empty()
          ? -1
          : ::open((reaper_->cgroup() / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (out.get() < 0 || err.get() < 0)
    return failure(why("cannot write to " + request.folder.string()));
  int report[2] = {-1, -1};
  if (::pipe2(report, O_CLOEXEC) != 0) return failure(why("cannot make a pipe"));
  const Descriptor report_read(report[0]);
  Descriptor report_write(report[1]);
  const cpu_set_t cpus = set_of(request.cpus);
  const ChildPlan plan{request.cwd.c_str(),
                       program.c_str(),
                       argv.data(),
                       envp.data(),
                       out.get(),
                       err.get(),
                       input,
                       lifeline_read_.get(),
                       request.listener,
                       cgroup.get(),
                       report_write.get(),
                       ::getpid(),
                       request.cpus.empty() ? nullptr : &cpus};
  const pid_t pid = ::fork();
  if (pid < 0) return failure(why("cannot start another process"));
  if (pid == 0) become(plan);
  // Parent and child both do this, so that the group exists when spawn() returns.
  ::setpgid(pid, pid);
  reaper_->guard(pid);
  leaders_.push_back(pid);
  folders_[pid] = request.folder;
  report_write = Descriptor(-1);
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(report_read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  const int exit_fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (got > 0 || exit_fd < 0) {
    const int reason = got > 0 ? error : errno;
    ::kill(-pid, SIGKILL);
    reap({pid, exit_fd});
    return failure("cannot run " + program + ": " + std::strerror(reason) +
                   (reason == EMFILE ? "; raise the limit on open files (ulimit -n)" : ""));
  }
  ::fcntl(exit_fd, F_SETFD, FD_CLOEXEC);
  if (master.get() >= 0) terminals_.emplace(pid, std::move(master));
  return Spawned{pid, exit_fd};
}

// The leader gets the signal only once: to some programs a second TERM means "at once".
void PosixSpawner::signal_group(pid_t leader, int signal) {
  ::kill(-leader, signal);
  if (::getpgid(leader) != leader) ::kill(leader, signal);
}

std::optional<ExitStatus> PosixSpawner::exited(pid_t leader) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(leader), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0) {
    return std::nullopt;
  }
  if (info.si_code == CLD_EXITED) return ExitStatus{info.si_status, 0};
  return ExitStatus{-1, info.si_status};
}

// Children that are not ranks: this process is the subreaper of orphaned descendants, whatever
// their group, session or environment.
std::vector<pid_t> PosixSpawner::adopted(std::span<const pid_t> leaders) const {
  std::vector<pid_t> found = children_of(::getpid());
  std::erase_if(found, [&](pid_t pid) {
    return pid == reaper_->pid() || std::find(leaders.begin(), leaders.end(), pid) != leaders.end();
  });
  return found;
}

std::vector<std::int64_t> PosixSpawner::survivors(std::span<const pid_t> leaders) {
  const std::vector<std::int64_t> groups(leaders.begin(), leaders.end());
  auto found = find_processes(groups, marker_);
  for (const pid_t pid : adopted(leaders)) {
    const auto stat = probe::process_stat("/", pid);
    const bool known = std::find(found.begin(), found.end(), pid) != found.end();
    if (stat && stat->state != 'Z' && stat->state != 'X' && !known) found.push_back(pid);
  }
  return found;
}

std::string PosixSpawner::check_processes() {
  const bool revived = reaper_->revive();
  std::vector<pid_t> groups;
  for (const pid_t pid : adopted(leaders_)) {
    const pid_t group = ::getpgid(pid);
    if (group > 0 && group != ::getpgrp()) groups.push_back(group);
  }
  for (const pid_t group : guarded_) {
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) reaper_->release(group);
  }
  for (const pid_t group : groups) {
    const bool rank = std::find(leaders_.begin(), leaders_.end(), group) != leaders_.end();
    if (!rank) reaper_->guard(group);
  }
  guarded_ = std::move(groups);
  std::erase_if(guarded_, [this](pid_t group) {
    return std::find(leaders_.begin(), leaders_.end(), group) != leaders_.end();
  });
  return revived ? "the process that ends what a killed agent leaves behind had ended; it was "
                   "started again"
                 : "";
}

void PosixSpawner::kill(std::int64_t pid) { ::kill(static_cast<pid_t>(pid), SIGKILL); }

char PosixSpawner::process_state(pid_t pid) {
  const auto stat = probe::process_stat("/", pid);
  return stat ? stat->state : '?';
}

void PosixSpawner::reap(const Spawned& leader) {
  reaper_->release(leader.pid);
  std::erase(leaders_, leader.pid);
  terminals_.erase(leader.pid);
  if (leader.exit_fd >= 0) ::close(leader.exit_fd);
  const auto status = exited(leader.pid);
  const auto folder = folders_.extract(leader.pid);
  // A command that was killed, or that lost its service, leaves its container behind.
  if (folder && status && (status->signal != 0 || status->exit_code == kLostService))
    end_containers(std::vector{folder.mapped()});
  // A process that did not die is left to the system.
  const bool ended = status.has_value() || ::kill(leader.pid, 0) != 0;
  const int flags = ended ? 0 : WNOHANG;
  while (::waitpid(leader.pid, nullptr, flags) < 0 && errno == EINTR) {
  }
}

void PosixSpawner::reap_orphans(std::span<const pid_t> leaders) {
  for (const pid_t pid : adopted(leaders)) ::waitpid(pid, nullptr, WNOHANG);
}

}  // namespace ringside::agent
