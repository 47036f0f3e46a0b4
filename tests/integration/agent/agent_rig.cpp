#include "tests/integration/agent/agent_rig.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>

#include "protocol/base/clock.h"
#include "protocol/messages/run_state.h"
#include "protocol/runlog/run_reader.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "trainer/probe/proc_files.h"

namespace ringside::testing {

namespace fs = std::filesystem;

bool wait_until(double seconds, const std::function<bool()>& holds) {
  return holds_within(seconds * kBusyFactor, holds);
}

bool holds_within(double seconds, const std::function<bool()>& holds) {
  const std::int64_t until_ns =
      mono_now_ns() + static_cast<std::int64_t>(seconds * kTimeoutFactor * 1e9);
  while (!holds()) {
    if (mono_now_ns() >= until_ns) return holds();
    const timespec pause{0, 2'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return true;
}

bool remove_folder(const fs::path& folder) {
  return wait_until(10, [&] {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return !fs::exists(folder, ignored);
  });
}

int keep_two_cores() {
  cpu_set_t now;
  CPU_ZERO(&now);
  ::sched_getaffinity(0, sizeof now, &now);
  int kept = 0;
  for (std::size_t core = 0; core < std::size_t{CPU_SETSIZE}; ++core) {
    if (CPU_ISSET(core, &now) == 0) continue;
    if (kept == 2) CPU_CLR(core, &now);
    if (kept < 2) ++kept;
  }
  ::sched_setaffinity(0, sizeof now, &now);
  return kept;
}

AgentRig::AgentRig() { ::setenv("XDG_STATE_HOME", (folder_.path() / "state").c_str(), 1); }

AgentRig::~AgentRig() {
  for (pid_t pid : agents_) {
    ::kill(pid, SIGCONT);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  // The folder can be removed only when no process writes into it any more.
  wait_until(5, [&] { return processes_with(folder_.path().string()).empty(); });
  for (pid_t pid : processes_with(folder_.path().string())) ::kill(pid, SIGKILL);
}

runlog::RunFolder AgentRig::make_run(int ranks, std::vector<std::string> flags,
                                     const std::function<void(messages::RunSpec&)>& change) {
  messages::RunSpec spec;
  spec.devices.kind = "cpu";
  spec.devices.world_size = ranks;
  spec.limits.grace_s = 1;
  spec.program.argv = {(test_bin_dir() / "fake_rank").string()};
  spec.program.argv.insert(spec.program.argv.end(), flags.begin(), flags.end());
  if (change) change(spec);
  const runlog::RunFolder folder(folder_.path() / ("run-" + std::to_string(made_++)));
  fs::create_directories(folder.path());
  std::ofstream(folder.spec_path()) << messages::to_toml(spec);
  return folder;
}

pid_t AgentRig::start(const std::vector<runlog::RunFolder>& folders,
                      const std::vector<std::string>& environment,
                      const std::vector<std::string>& options) {
  const std::string program = (bin_dir() / "ringside-agent").string();
  std::vector<std::string> texts{program};
  texts.insert(texts.end(), options.begin(), options.end());
  for (const auto& folder : folders) texts.push_back(folder.path().string());
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  const std::string log = folders.at(0).agent_log_path().string();
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // ends the agent if the test is killed at its time limit
    for (const std::string& entry : environment) ::putenv(const_cast<char*>(entry.c_str()));
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(out, 1);
    ::dup2(out, 2);
    ::execv(program.c_str(), argv.data());
    ::_exit(126);
  }
  agents_.push_back(pid);
  return pid;
}

std::optional<Ended> AgentRig::wait_exit(pid_t pid, double seconds) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  REQUIRE(fd >= 0);
  pollfd ended{fd, POLLIN, 0};
  const int ready =
      ::poll(&ended, 1, static_cast<int>(seconds * kBusyFactor * kTimeoutFactor * 1000));
  ::close(fd);
  if (ready <= 0) return std::nullopt;
  int status = 0;
  ::waitpid(pid, &status, 0);
  std::erase(agents_, pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Ended AgentRig::run(const std::vector<runlog::RunFolder>& folders, double seconds) {
  const auto ended = wait_exit(start(folders), seconds);
  INFO(text_of(folders.at(0).agent_log_path()));
  REQUIRE(ended);
  return *ended;
}

support::RecordList records_of(const runlog::RunFolder& folder) {
  support::RecordList list;
  static_cast<void>(runlog::read_run(folder, list));  // no log yet, so no records
  return list;
}

std::optional<messages::RankState> last_state(const runlog::RunFolder& folder, Rank about) {
  std::optional<messages::RankState> last;
  for (const auto& entry : records_of(folder).entries) {
    const auto* state = std::get_if<messages::RankState>(&entry.record);
    const bool told = state != nullptr && entry.stamp.rank == kNoRank && state->about == about;
    if (told && (about != kNoRank || messages::is_of_run(entry.stamp, state))) last = *state;
  }
  return last;
}

std::int64_t last_state_ns(const runlog::RunFolder& folder) {
  std::int64_t last_ns = 0;
  for (const auto& entry : records_of(folder).entries) {
    const auto* state = std::get_if<messages::RankState>(&entry.record);
    if (state != nullptr && messages::is_of_run(entry.stamp, state)) last_ns = entry.stamp.mono_ns;
  }
  return last_ns;
}

std::optional<messages::Notice> notice_with(const runlog::RunFolder& folder,
                                            const std::string& code) {
  for (const auto& notice : all_of<messages::Notice>(records_of(folder))) {
    if (notice.code == code) return notice;
  }
  return std::nullopt;
}

bool wait_for_steps(const runlog::RunFolder& folder, Rank rank, std::size_t steps, double seconds) {
  return wait_until(seconds, [&] {
    std::size_t found = 0;
    for (const auto& entry : records_of(folder).entries) {
      if (entry.stamp.rank == rank && std::holds_alternative<messages::StepReport>(entry.record))
        ++found;
    }
    return found >= steps;
  });
}

std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  for (std::int64_t pid : probe::process_ids("/")) {
    if (pid == ::getpid()) continue;
    const fs::path folder = fs::path("/proc") / std::to_string(pid);
    const auto stat = probe::process_stat("/", pid);
    if (!stat || stat->state == 'Z') continue;
    const std::string all = probe::proc_text(folder / "cmdline").value_or("") +
                            probe::proc_text(folder / "environ").value_or("");
    if (all.find(text) != std::string::npos) found.push_back(static_cast<pid_t>(pid));
  }
  return found;
}

std::vector<pid_t> ranks_and_helpers(const runlog::RunFolder& folder) {
  return processes_with("RINGSIDE_RUN_DIR=" + folder.path().string());
}

std::vector<pid_t> rank_pids(const runlog::RunFolder& folder, std::size_t ranks) {
  std::map<Rank, pid_t> pids;
  wait_until(30, [&] {
    for (const auto& entry : records_of(folder).entries) {
      if (const auto* hello = std::get_if<messages::RankHello>(&entry.record))
        pids[entry.stamp.rank] = hello->pid;
    }
    return pids.size() == ranks;
  });
  std::vector<pid_t> list;
  for (const auto& [rank, pid] : pids) list.push_back(pid);
  REQUIRE(list.size() == ranks);
  return list;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace ringside::testing
