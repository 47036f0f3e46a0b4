#include "protocol/base/slurm_task.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "protocol/base/text.h"

namespace ringside {
namespace {

std::string text_of(const Variables& get, const char* name) {
  const char* text = get(name);
  return text == nullptr ? std::string() : std::string(text);
}

Result<int> number_of(const Variables& get, const char* name) {
  const std::string text = text_of(get, name);
  const auto number = whole_number<int>(text);
  if (number && *number >= 0) return *number;
  return bad_request("the environment variable " + std::string(name) + " = \"" + text +
                     "\" is not a number from 0; srun sets it for its tasks");
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char digit) { return digit >= '0' && digit <= '9'; });
}

/// Everything else assumes that the ranks of a node are consecutive; renumbering them would
/// contradict scripts that read Slurm's own variables.
Result<void> check_order(const SlurmTask& task, const std::string& distribution) {
  int before = 0;
  for (int node = 0; node < task.node; ++node) before += slurm_tasks_on(task.tasks_per_node, node);
  // With one task per node Slurm reports "cyclic", although the order is the same.
  const bool alone = task.tasks == task.nodes;
  const bool other = distribution.starts_with("cyclic") || distribution.starts_with("plane") ||
                     distribution.starts_with("arbitrary");
  if (task.nodes == 1 || ((alone || !other) && task.rank == before + task.local_rank)) return {};
  return bad_request(
      "srun deals its tasks out to the nodes in turn, and the ranks of a node have to follow each "
      "other: give srun --distribution=block");
}

}  // namespace

bool is_slurm_task(const Variables& get) {
  const auto set = [&get](const char* name) { return !text_of(get, name).empty(); };
  return set("SLURM_STEP_ID") && set("SLURM_PROCID") && set("SLURM_NTASKS") && !set("RANK") &&
         !set("WORLD_SIZE");
}

int slurm_tasks_on(std::string_view list, int node) {
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    int tasks = -1;
    int times = 1;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), tasks);
    if (error != std::errc{}) return -1;
    const auto rest = entry.substr(static_cast<std::size_t>(end - entry.data()));
    if (rest.starts_with("(x")) std::from_chars(rest.data() + 2, rest.data() + rest.size(), times);
    if (node < times) return tasks;
    node -= times;
  }
  return -1;
}

Result<std::optional<SlurmTask>> read_slurm_task(const Variables& get) {
  const auto set = [&get](const char* name) { return !text_of(get, name).empty(); };
  // RANK and WORLD_SIZE do not count: job scripts export them for their own launchers.
  if (set("RINGSIDE_RANK") || set("TORCHELASTIC_RUN_ID")) return std::nullopt;
  if (!set("SLURM_STEP_ID") || !set("SLURM_PROCID") || !set("SLURM_STEP_NUM_TASKS"))
    return std::nullopt;
  SlurmTask task;
  const std::array<std::pair<const char*, int*>, 5> numbers{{{"SLURM_STEP_NUM_TASKS", &task.tasks},
                                                             {"SLURM_STEP_NUM_NODES", &task.nodes},
                                                             {"SLURM_PROCID", &task.rank},
                                                             {"SLURM_LOCALID", &task.local_rank},
                                                             {"SLURM_NODEID", &task.node}}};
  for (const auto& [name, into] : numbers) {
    const auto number = RINGSIDE_TRY(number_of(get, name));
    *into = number;
  }
  if (task.tasks < 2) return std::nullopt;
  task.job = text_of(get, "SLURM_JOB_ID");
  task.step = text_of(get, "SLURM_STEP_ID");
  if (!is_number(task.job) || !is_number(task.step)) {
    return bad_request("SLURM_JOB_ID = \"" + task.job + "\" and SLURM_STEP_ID = \"" + task.step +
                       "\" are not the numbers of a job and its step");
  }
  task.tasks_per_node = text_of(get, "SLURM_STEP_TASKS_PER_NODE");
  if (task.rank >= task.tasks || task.node >= task.nodes || task.nodes > task.tasks ||
      slurm_tasks_on(task.tasks_per_node, task.nodes - 1) < 1) {
    return bad_request("Slurm's variables contradict each other: task " +
                       std::to_string(task.rank) + " of " + std::to_string(task.tasks) +
                       " on node " + std::to_string(task.node) + " of " +
                       std::to_string(task.nodes) + " (SLURM_STEP_TASKS_PER_NODE = \"" +
                       task.tasks_per_node + "\")");
  }
  task.key = task.job + "." + task.step;
  for (const char* name : {"SLURM_RESTART_COUNT", "SLURM_SRUN_COMM_PORT"}) {
    const std::string more = text_of(get, name);
    if (is_number(more)) task.key += "-" + more;
  }
  RINGSIDE_TRY(check_order(task, text_of(get, "SLURM_DISTRIBUTION")));
  return task;
}

}  // namespace ringside
