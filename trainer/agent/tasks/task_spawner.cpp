#include "trainer/agent/tasks/task_spawner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "protocol/base/clock.h"
#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/host/platform.h"
#include "protocol/wire/agent_endpoint.h"
#include "trainer/agent/processes/orphan_reaper.h"
#include "trainer/agent/processes/process_sweep.h"
#include "trainer/agent/processes/signals.h"
#include "trainer/probe/driver.h"
#include "trainer/probe/proc_files.h"

namespace ringside::agent {
namespace {

constexpr std::int64_t kComeNs = 60'000'000'000;
constexpr std::int64_t kTaskCheckNs = 100'000'000;
constexpr std::int64_t kHelloNs = 10'000'000'000;
// A program may be on a slow file system; a task that dies meanwhile is noticed.
constexpr std::int64_t kTaskStartNs = 60'000'000'000;

/// "rank 1 has", "ranks 1, 3 have"
std::string ranks_have(const std::vector<int>& ranks) {
  std::string list;
  for (const int rank : ranks) add_listed(list, std::to_string(rank));
  return (ranks.size() == 1 ? "rank " : "ranks ") + list + (ranks.size() == 1 ? " has" : " have");
}

}  // namespace

TaskPlace own_place(bool with_gpus) {
  TaskPlace place;
  for (char** entry = environ; *entry != nullptr; ++entry) place.environment.emplace_back(*entry);
  place.cores = cpus_of_process();
  if (with_gpus) place.gpus = probe::ask_visible_gpus().visible;
  return place;
}

Result<std::unique_ptr<TaskSpawner>> TaskSpawner::gather(PosixSpawner& own,
                                                         const std::filesystem::path& file,
                                                         int tasks, int first) {
  std::unique_ptr<TaskSpawner> spawner(new TaskSpawner(own, file));
  auto listener = RINGSIDE_TRY(TaskListener::open());
  RINGSIDE_TRY(write_text_atomically(file, listener.name() + "\n"));
  const std::int64_t deadline_ns = mono_now_ns() + kComeNs;
  std::string refused;
  const auto give_up = [&](const std::string& why) {
    // Tasks that connected must not end the step (srun --kill-on-bad-exit) before rank 0 has
    // reported the reason.
    spawner->leave({0, {}});
    return failure(why);
  };
  while (static_cast<int>(spawner->tasks_.size()) + 1 < tasks) {
    if (const int signal = take_signals(); signal != 0)
      return give_up("ended by " + signal_name(signal) + " before the tasks of srun had come");
    if (mono_now_ns() > deadline_ns) {
      std::vector<int> absent;
      for (int local = 1; local < tasks; ++local) {
        if (!spawner->tasks_.contains(local)) absent.push_back(first + local);
      }
      return give_up(fmt::format("srun's task of {} not come within a minute{}", ranks_have(absent),
                                 refused.empty() ? "" : ": " + refused));
    }
    auto channel = listener.accept(kTaskCheckNs);
    if (!channel) continue;
    if (const auto in = spawner->admit(std::move(*channel), tasks); !in)
      refused = in.error().message;
  }
  return spawner;
}

TaskSpawner::~TaskSpawner() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

Result<void> TaskSpawner::admit(TaskChannel channel, int tasks) {
  auto message = RINGSIDE_TRY(channel.wait(kHelloNs));
  auto* hello = std::get_if<TaskHello>(&message);
  std::string problem;
  if (hello == nullptr || hello->version != RINGSIDE_VERSION) {
    problem = "it is of another version of Ringside";
  } else if (hello->local_rank < 1 || hello->local_rank >= tasks) {
    problem = fmt::format("this node has no local rank {}", hello->local_rank);
  } else if (tasks_.contains(hello->local_rank)) {
    problem = fmt::format("local rank {} has come already", hello->local_rank);
  } else if (channel.peer() <= 0) {
    problem = "it is in a container of its own, and its processes are not seen here";
  }
  if (!problem.empty()) {
    (void)channel.send(Leave{1, problem});
    return failure(problem);
  }
  const std::uint64_t start_ticks = wire::process_start_ticks(channel.peer());
  tasks_.emplace(hello->local_rank, Task{std::move(channel), std::move(hello->place), start_ticks});
  return {};
}

std::vector<TaskPlace> TaskSpawner::places() const {
  std::vector<TaskPlace> places{own_place(false)};
  for (const auto& [local, task] : tasks_) places.push_back(task.place);
  return places;
}

void TaskSpawner::leave(const Leave& leave) {
  for (auto& [local, task] : tasks_) (void)task.channel.send(leave);
}

TaskSpawner::Task* TaskSpawner::task_of(pid_t rank) {
  const auto found = std::find_if(tasks_.begin(), tasks_.end(),
                                  [rank](auto& entry) { return entry.second.rank == rank; });
  return found == tasks_.end() ? nullptr : &found->second;
}

Result<Spawned> TaskSpawner::spawn(const SpawnRequest& request) {
  if (request.local_rank == 0) return own_.spawn(request);
  const auto found = tasks_.find(request.local_rank);
  if (found == tasks_.end())
    return failure(fmt::format("there is no task of local rank {}", request.local_rank));
  Task& task = found->second;
  const auto lost = [&](const Error& error) {
    return failure(fmt::format("srun's task of local rank {} (process {}) does not start it: {}",
                               request.local_rank, task.channel.peer(), error.message));
  };
  const auto told = task.channel.send(
      StartRank{request.argv, request.environment, request.folder.string(), request.cwd.string()});
  if (!told) return lost(told.error());
  const auto answer = task.channel.wait(kTaskStartNs);
  if (!answer) return lost(answer.error());
  const auto* started = std::get_if<RankStarted>(&*answer);
  if (started == nullptr) return lost({ErrorKind::kFailure, "it answers something else"});
  if (!started->problem.empty()) return failure(started->problem);
  // Both the end of a rank and a lost task make the channel readable.
  const int exit_fd = ::fcntl(task.channel.fd(), F_DUPFD_CLOEXEC, 0);
  if (exit_fd < 0) return lost({ErrorKind::kFailure, std::strerror(errno)});
  task.rank = static_cast<pid_t>(started->pid);
  task.ended.reset();
  return Spawned{task.rank, exit_fd};
}

void TaskSpawner::signal_group(pid_t leader, int signal) { own_.signal_group(leader, signal); }

// The kernel kills a rank when the task that started it ends.
std::optional<ExitStatus> TaskSpawner::exited(pid_t leader) {
  Task* task = task_of(leader);
  if (task == nullptr) return own_.exited(leader);
  if (task->ended) return task->ended;
  const auto message = task->channel.receive();
  if (!message) {
    task->ended = ExitStatus{-1, SIGKILL};
  } else if (const auto* ended = *message ? std::get_if<RankEnded>(&**message) : nullptr) {
    task->ended = ended->status;
  }
  return task->ended;
}

std::vector<std::int64_t> TaskSpawner::survivors(std::span<const pid_t> leaders) {
  auto found = own_.survivors(leaders);
  for (const auto& [local, task] : tasks_) {
    const pid_t process = task.channel.peer();
    // The pid of a dead task may belong to another process.
    if (wire::process_start_ticks(process) != task.start_ticks) continue;
    for (const pid_t pid : children_of(process)) {
      const auto stat = probe::process_stat("/", pid);
      const bool counts =
          stat && stat->state != 'Z' && stat->state != 'X' && !OrphanReaper::is_one(pid);
      const bool leads = std::find(leaders.begin(), leaders.end(), pid) != leaders.end();
      const bool known = std::find(found.begin(), found.end(), pid) != found.end();
      if (counts && !leads && !known) found.push_back(pid);
    }
  }
  return found;
}

void TaskSpawner::kill(std::int64_t pid) { own_.kill(pid); }

char TaskSpawner::process_state(pid_t pid) { return own_.process_state(pid); }

void TaskSpawner::reap(const Spawned& leader) {
  Task* task = task_of(leader.pid);
  if (task == nullptr) return own_.reap(leader);
  (void)task->channel.send(ReapRank{});
  if (leader.exit_fd >= 0) ::close(leader.exit_fd);
  task->rank = 0;
}

void TaskSpawner::reap_orphans(std::span<const pid_t> leaders) { own_.reap_orphans(leaders); }

std::string TaskSpawner::check_processes() { return own_.check_processes(); }

}  // namespace ringside::agent
