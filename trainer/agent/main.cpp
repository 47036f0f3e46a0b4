// ringside-agent: supervises runs on this node. See Agent.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "protocol/base/exit_code.h"
#include "protocol/host/files.h"
#include "protocol/host/process_setup.h"
#include "trainer/agent/agent.h"
#include "trainer/agent/nodes/early_failure.h"
#include "trainer/agent/nodes/not_begun.h"
#include "trainer/agent/nodes/which_node.h"
#include "trainer/agent/processes/orphan_reaper.h"
#include "trainer/agent/processes/process_sweep.h"
#include "trainer/agent/processes/signals.h"
#include "trainer/agent/tasks/task_rank.h"
#include "trainer/agent/tasks/task_spawner.h"
#include "trainer/probe/driver.h"
#include "trainer/probe/inventory.h"

namespace {

using namespace ringside;
using namespace ringside::agent;

/// EX_TEMPFAIL of sysexits.h, which a cluster's job script checks for.
constexpr int kGoesOnLater = 75;

std::filesystem::path own_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

std::string trainer_path() {
  if (const char* set = std::getenv("RINGSIDE_TRAINER"); set != nullptr && *set != '\0') return set;
  return (own_folder() / "ringside-trainer").string();
}

std::vector<std::string> inherited_environment() {
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) list.emplace_back(*entry);
  return list;
}

int print_inventory() {
  const auto api = probe::ask_driver(10'000'000'000);
  fmt::print("{}\n", probe::to_json(probe::take_inventory("/", api)));
  std::fflush(stdout);
  ::_exit(0);  // skips the destructors of a driver, which may hang
}

int complain(const Error& error) {
  fmt::print(stderr, "ringside-agent: {}\n", error.message);
  return exit_code(error);
}

/// Ends before any run could begin, and reports it to the agents that wait for this node.
int give_up(const Error& error, const NodePlace& place, bool locked) {
  const int code = complain(error);
  std::fflush(stderr);
  unblock_signals();
  notify_other_nodes(place, error.message, locked);
  return code;
}

struct Asked {
  std::string warning;
  std::vector<int> locks;
  bool keep_going = false;
  std::filesystem::path requeue;
  bool tasks = false;
};

/// The last folder's run has ranks on every node on which any run has ranks.
runlog::RunFolder meeting_folder(const std::vector<std::filesystem::path>& folders) {
  return runlog::RunFolder(folders.back());
}

Result<std::unique_ptr<TaskSpawner>> gather_tasks(PosixSpawner& own, const NodePlace& place) {
  const auto folder = meeting_folder(place.folders);
  return TaskSpawner::gather(own, folder.tasks_path(place.node), place.ranks.count,
                             place.ranks.first);
}

/// Exit code of this agent. Under srun --kill-on-bad-exit any code but 0 would end the task of rank
/// 0, whose exit code is that of the run, before it has reported how the run ended.
int code_of(int code, bool tasks, Node node) { return tasks && node > 0 ? 0 : code; }

int code_of(Ended ended) {
  if (ended == Ended::kGoesOnLater) return kGoesOnLater;
  return ended == Ended::kWell ? 0 : 1;
}

int run_all(const NodePlace& place, const Asked& asked) {
  const std::string marker = marker_of_this_process();
  const bool locked = !asked.locks.empty();
  std::vector<std::filesystem::path> leftovers;
  for (const auto& folder : place.folders) {
    const runlog::RunFolder run(folder);
    leftovers.insert(leftovers.end(), {run.reserve_path(place.node), run.tasks_path(place.node)});
  }
  auto reaper = OrphanReaper::start(marker, leftovers);
  if (!reaper) return give_up(reaper.error(), place, locked);
  block_signals();
  auto spawner = PosixSpawner::make(marker, *reaper);
  if (!spawner) return give_up(spawner.error(), place, locked);
  std::unique_ptr<TaskSpawner> tasks;
  if (asked.tasks) {
    // Removes failure files that an earlier start of this node left for other nodes.
    for (const auto& folder : place.folders) clear_not_begun(runlog::RunFolder(folder), place.node);
    auto gathered = gather_tasks(*spawner, place);
    if (!gathered) return code_of(give_up(gathered.error(), place, locked), true, place.node);
    tasks = std::move(*gathered);
  }
  const SystemClock clock;
  auto agent = Agent::open(
      {place.folders, inherited_environment(), trainer_path(), find_client_files(own_folder()),
       marker, asked.warning, asked.locks, asked.keep_going, place.node, !asked.requeue.empty(),
       tasks ? tasks->places() : std::vector<TaskPlace>()},
      clock, tasks ? static_cast<Spawner&>(*tasks) : *spawner);
  if (!agent) {
    if (tasks) tasks->leave({0, {}});
    return code_of(give_up(agent.error(), place, locked), asked.tasks, place.node);
  }
  while (!(*agent)->over()) (*agent)->step();
  const Ended ended = (*agent)->ended();
  if (tasks) tasks->leave({0, {}});
  // If the file cannot be created, the exit code says it, unless another node's is higher.
  if (ended == Ended::kGoesOnLater) (void)write_text_atomically(asked.requeue, "");
  return code_of(code_of(ended), asked.tasks, place.node);
}

/// Runs one rank as a task. The last folder has the file that names the socket of this node's
/// agent.
int be_task(const NodePlace& place, std::int32_t local_rank) {
  block_signals();
  const auto code = serve_rank(meeting_folder(place.folders).tasks_path(place.node), local_rank,
                               [&] { return own_place(want_gpus(place.folders)); });
  return code ? *code : complain(code.error());
}

}  // namespace

int main(int argc, char** argv) {
  set_up_process();
  CLI::App app("Supervises the runs of one experiment on this node, in the order given.",
               "ringside-agent");
  app.set_version_flag("--version", std::string("ringside-agent ") + RINGSIDE_VERSION);
  bool inventory = false;
  std::vector<std::filesystem::path> folders;
  app.add_flag("--inventory,--probe", inventory,
               "Print what this machine offers as JSON, and leave");
  Asked asked;
  app.add_option("--warning", asked.warning,
                 "What the runs' logs shall say of how they were planned");
  app.add_option("--locks", asked.locks,
                 "Descriptors of the run folders' locks, as whoever started this left them open");
  app.add_flag("--keep-going", asked.keep_going, "After a run that failed, begin the next");
  app.add_option("--requeue", asked.requeue,
                 "After SIGUSR1 (the time is nearly up: a checkpoint, then the end) or a lost "
                 "node, make this file and leave with exit code 75: start it again, and the run "
                 "goes on");
  std::optional<Node> node;
  app.add_option("--node", node,
                 "Which node of a run on several this is, from 0; else SLURM_NODEID or GROUP_RANK");
  app.add_flag("--tasks", asked.tasks,
               "srun has started a task for each rank of this node, and this is in that of the "
               "first: the others join with --task");
  std::optional<std::int32_t> task;
  app.add_option("--task", task,
                 "In srun's task of this local rank, above 0: starts the rank when the agent of "
                 "this node says so");
  app.add_option("RUN_DIR", folders, "Run folders, each with a spec.toml");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (inventory) return print_inventory();
  if (folders.empty()) return complain({ErrorKind::kRequest, "no run folder given; see --help"});
  const auto place = find_node(folders, node, [](const char* name) { return std::getenv(name); });
  if (!place) return complain(place.error());
  return task ? be_task(*place, *task) : run_all(*place, asked);
}
