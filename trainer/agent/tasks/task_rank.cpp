#include "trainer/agent/tasks/task_rank.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <optional>

#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "trainer/agent/processes/orphan_reaper.h"
#include "trainer/agent/processes/process_sweep.h"
#include "trainer/agent/processes/signals.h"
#include "trainer/agent/tasks/task_channel.h"
#include "trainer/agent/tasks/task_spawner.h"

namespace ringside::agent {
namespace {

constexpr std::int64_t kAgentNs = 120'000'000'000;
constexpr std::int64_t kLookNs = 50'000'000;
constexpr int kRoundMs = 1000;

/// The agent that wrote the name may have died, and another may have replaced it since.
Result<TaskChannel> find_agent(const std::filesystem::path& file) {
  const std::int64_t deadline_ns = mono_now_ns() + kAgentNs;
  for (;;) {
    const auto name = read_text(file, 200);
    auto channel = name ? TaskChannel::connect(name->substr(0, name->find('\n')))
                        : Result<TaskChannel>(pass(name));
    if (channel) return channel;
    if (const int signal = take_signals(); signal != 0)
      return failure("ended by " + signal_name(signal) + " before the agent of this node had come");
    if (mono_now_ns() > deadline_ns) {
      return failure("the agent of this node has not come within two minutes: " +
                     channel.error().message);
    }
    pause_ns(kLookNs);
  }
}

class TaskRank {
 public:
  TaskRank(TaskChannel& agent, PosixSpawner& spawner) : agent_(agent), spawner_(spawner) {}

  /// Fails when the agent is gone.
  Result<int> serve() {
    for (;;) {
      std::array<pollfd, 2> waits{
          {{agent_.fd(), POLLIN, 0}, {rank_ && !told_ ? rank_->exit_fd : -1, POLLIN, 0}}};
      ::poll(waits.data(), waits.size(), kRoundMs);
      RINGSIDE_TRY(tell_end());
      const auto message = RINGSIDE_TRY(agent_.receive());
      if (message) {
        if (const auto* leave = std::get_if<Leave>(&*message)) return say(*leave);
        RINGSIDE_TRY(obey(*message));
      }
      check_processes();
    }
  }

 private:
  Result<void> obey(const TaskMessage& message) {
    if (const auto* start = std::get_if<StartRank>(&message)) return begin(*start);
    if (std::holds_alternative<ReapRank>(message)) reap();
    return {};
  }

  Result<void> begin(const StartRank& start) {
    reap();
    auto spawned = spawner_.spawn({start.argv, start.environment, start.folder, start.cwd});
    if (!spawned) return agent_.send(RankStarted{0, spawned.error().message});
    rank_ = *spawned;
    told_ = false;
    return agent_.send(RankStarted{rank_->pid, {}});
  }

  Result<void> tell_end() {
    if (!rank_ || told_) return {};
    const auto status = spawner_.exited(rank_->pid);
    if (!status) return {};
    told_ = true;
    return agent_.send(RankEnded{*status});
  }

  void reap() {
    if (rank_) spawner_.reap(*rank_);
    rank_.reset();
  }

  /// Called about once per second, and whenever something happens.
  void check_processes() {
    const std::int64_t now_ns = mono_now_ns();
    if (now_ns < next_round_ns_) return;
    next_round_ns_ = now_ns + std::int64_t{kRoundMs} * 1'000'000;
    (void)spawner_.check_processes();
    std::array<pid_t, 1> leader{rank_ ? rank_->pid : 0};
    spawner_.reap_orphans(std::span(leader).first(rank_ ? 1 : 0));
  }

  static int say(const Leave& leave) {
    if (!leave.why.empty()) fmt::print(stderr, "ringside-agent: {}\n", leave.why);
    return leave.exit_code;
  }

  TaskChannel& agent_;
  PosixSpawner& spawner_;
  std::optional<Spawned> rank_;
  bool told_ = false;
  std::int64_t next_round_ns_ = 0;
};

}  // namespace

Result<int> serve_rank(const std::filesystem::path& file, std::int32_t local_rank,
                       const std::function<TaskPlace()>& place) {
  // Each task has its own marker, by which the agent finds processes that ranks have started on any
  // host.
  const std::string marker = marker_of_this_process();
  auto reaper = RINGSIDE_TRY(OrphanReaper::start(marker));
  auto spawner = RINGSIDE_TRY(PosixSpawner::make(marker, reaper));
  // Read before the agent waits for it, since a driver may take seconds.
  const TaskHello hello{RINGSIDE_VERSION, local_rank, place()};
  auto agent = RINGSIDE_TRY(find_agent(file));
  if (auto told = agent.send(hello); !told)
    return failure("the agent of this node does not listen: " + told.error().message);
  TaskRank rank(agent, spawner);
  auto code = rank.serve();
  if (code) return code;
  fmt::print(stderr, "ringside-agent: the agent of this node has gone, and its ranks with it: {}\n",
             code.error().message);
  std::fflush(stderr);
  // Skips the destructors: the kernel kills the rank, and the reaper kills what the rank started.
  ::_exit(1);
}

}  // namespace ringside::agent
