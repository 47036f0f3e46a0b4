#include "gui/slurm/own_tasks.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "gui/slurm/allocation.h"
#include "gui/slurm/job_ends.h"
#include "gui/slurm/job_file.h"
#include "gui/slurm/queue_file.h"
#include "protocol/base/clock.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/node_ranks.h"

namespace ringside::slurm {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::int64_t kMeetNs = 120'000'000'000;
constexpr std::int64_t kLookNs = 50'000'000;
/// Age after which every task has read the file or has given up.
constexpr std::chrono::hours kStale{1};

fs::path meeting_folder(const fs::path& runs_dir) { return runs_dir / ".tasks"; }

/// File in which rank 0 announces its runs; its folder's name starts with a dot, as no run's does.
fs::path meeting_file(const fs::path& runs_dir, const SlurmTask& task) {
  return meeting_folder(runs_dir) / (task.key + ".json");
}

void remove_stale(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const auto written = fs::last_write_time(it->path(), ignored);
    if (!ignored && fs::file_time_type::clock::now() - written > kStale)
      fs::remove(it->path(), ignored);
  }
}

Result<void> write_meeting(const fs::path& file, const std::vector<runlog::RunFolder>& runs) {
  Json paths = Json::array();
  for (const auto& run : runs) paths.push_back(run.path().string());
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  fs::permissions(file.parent_path(), fs::perms::owner_all, ignored);
  return write_text_atomically(file, Json{{"version", 1}, {"runs", paths}}.dump() + "\n");
}

/// Nothing: the file does not exist yet.
std::optional<std::vector<std::string>> read_meeting(const fs::path& file) {
  const auto text = read_text(file);
  if (!text) return std::nullopt;
  try {
    return Json::parse(*text).at("runs").get<std::vector<std::string>>();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

/// Refuses settings that srun has already decided.
Result<void> refuse_decided(const std::vector<std::string>& sets) {
  constexpr std::array<const char*, 4> kDecided{
      "devices.world_size=", "devices.nodes=", "devices.ranks_per_node=", "devices.virtual_nodes="};
  for (const std::string& set : sets) {
    for (const std::string name : kDecided) {
      if (set.starts_with(name)) {
        return bad_request("--set " + set +
                           ": ranks and nodes are those of the tasks that srun has started; leave "
                           "it out, or say it with srun's own options");
      }
    }
  }
  return {};
}

/// Marks an earlier run with the same step number as ended. Slurm numbers the steps of a requeued
/// job from 0, and that run's rank 0 was killed before it could record the end.
void end_earlier(const fs::path& runs_dir, const std::string& srun_step) {
  for (const auto& [run, file] : open_jobs(runs_dir)) {
    if (file.srun_step == srun_step)
      (void)write_text_atomically(run.path() / kExitFile, std::string(kForgotten) + "\n");
  }
}

}  // namespace

Result<std::optional<SlurmTask>> own_task() {
  return read_slurm_task([](const char* name) { return std::getenv(name); });
}

Result<messages::RunSpec> on_tasks(messages::RunSpec spec, const SlurmTask& task,
                                   const std::vector<std::string>& sets, bool has_gpu) {
  RINGSIDE_TRY(refuse_decided(sets));
  auto& devices = spec.devices;
  if (!devices.ids.empty()) {
    return bad_request(
        "GPUs are those that srun has given its tasks: leave devices.ids and "
        "--devices out, or say it with srun --gpus-per-task or --gpu-bind");
  }
  if (devices.parallel == "dp") {
    return bad_request(
        "devices.parallel = \"dp\" is one process for all devices: start it with "
        "srun --ntasks=1");
  }
  if (devices.kind == "auto") devices.kind = has_gpu ? "cuda" : "cpu";
  devices.world_size = task.tasks;
  devices.nodes = task.nodes;
  devices.ranks_per_node = task.nodes > 1 ? slurm_tasks_on(task.tasks_per_node, 0) : 0;
  devices.virtual_nodes = false;
  for (Node node = 0; node < task.nodes; ++node) {
    if (messages::ranks_of_node(spec, node).count == slurm_tasks_on(task.tasks_per_node, node))
      continue;
    return bad_request("srun has started " + task.tasks_per_node +
                       " tasks on its nodes, and there have to be as many on each, fewer on the "
                       "last alone: give srun --ntasks-per-node");
  }
  return spec;
}

std::string words_of(const SlurmTask& task) {
  return "srun has started " + std::to_string(task.tasks) + " tasks on " +
         std::to_string(task.nodes) + (task.nodes == 1 ? " node" : " nodes") + ": each is a rank";
}

TaskRendezvous::TaskRendezvous(const fs::path& runs_dir, SlurmTask task)
    : file_(meeting_file(runs_dir, task)), task_(std::move(task)) {
  std::error_code ignored;
  fs::remove(file_, ignored);
  remove_stale(file_.parent_path());
}

TaskRendezvous::~TaskRendezvous() { (void)write_meeting(file_, {}); }

Result<void> TaskRendezvous::tell(const std::vector<runlog::RunFolder>& runs) {
  const SystemClock clock;
  const std::string step = task_.job + "." + task_.step;
  if (!runs.empty()) end_earlier(runs.front().path().parent_path(), step);
  for (const auto& run : runs) {
    // A run that was a job before keeps its options, with which `ringside resume` submits it again
    // from outside.
    const auto before = read_job_file(run);
    JobFile file{task_.job, before ? before->options : Options(), clock.wall_ns(), {}};
    file.is_step = true;
    file.srun_step = step;
    RINGSIDE_TRY(write_job_file(run, file));
    RINGSIDE_TRY(write_text_atomically(run.path() / kExitFile, ""));
  }
  note_state(task_.job, {"RUNNING", "None", {}});
  runs_ = runs;
  return write_meeting(file_, runs);
}

void TaskRendezvous::end(int exit_code) {
  for (const auto& run : runs_)
    (void)write_text_atomically(run.path() / kExitFile, std::to_string(exit_code) + "\n");
}

Result<std::vector<std::string>> wait_for_runs(const fs::path& runs_dir, const SlurmTask& task,
                                               const launch::Cancelled& cancelled) {
  const fs::path file = meeting_file(runs_dir, task);
  const std::int64_t deadline_ns = mono_now_ns() + kMeetNs;
  for (;;) {
    if (auto runs = read_meeting(file)) return *std::move(runs);
    if (cancelled && cancelled()) return failure("ended before the task of rank 0 had begun a run");
    if (mono_now_ns() > deadline_ns) {
      return failure("task " + std::to_string(task.rank) + " of " + std::to_string(task.tasks) +
                     " of srun: that of rank 0 has not begun a run within two minutes. Every task "
                     "has to be the same command, and to see the folder " +
                     runs_dir.string());
    }
    pause_ns(kLookNs);
  }
}

std::vector<std::string> task_argv(const std::string& agent, const SlurmTask& task,
                                   const std::vector<std::string>& runs) {
  std::vector<std::string> argv{agent, "--node", std::to_string(task.node)};
  if (task.local_rank == 0) {
    argv.emplace_back("--tasks");
  } else {
    argv.insert(argv.end(), {"--task", std::to_string(task.local_rank)});
  }
  argv.insert(argv.end(), runs.begin(), runs.end());
  return argv;
}

}  // namespace ringside::slurm
