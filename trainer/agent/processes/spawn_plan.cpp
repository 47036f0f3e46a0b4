#include "trainer/agent/processes/spawn_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "protocol/base/nearest.h"
#include "protocol/messages/spec/node_ranks.h"
#include "trainer/agent/processes/affinity.h"
#include "trainer/agent/processes/container.h"

namespace ringside::agent {
namespace {

using messages::RunSpec;

// The entries of devices.ids for the ranks of one host.
std::vector<std::string> ids_of_host(const RunSpec& spec, Node node) {
  const auto& ids = spec.devices.ids;
  if (spec.devices.nodes <= 1 || ids.empty()) return ids;
  const auto here = messages::ranks_of_host(spec, node);
  return {ids.begin() + here.first, ids.begin() + here.first + here.count};
}

bool same_gpus(const TaskPlace& a, const TaskPlace& b) {
  return std::equal(a.gpus.begin(), a.gpus.end(), b.gpus.begin(), b.gpus.end(),
                    [](const auto& one, const auto& other) { return one.uuid == other.uuid; });
}

// Whether srun divided the GPUs among its tasks (--gpus-per-task, --gpu-bind) instead of showing
// all of them to each. A rank can only use GPUs that its task sees.
bool are_dealt_out(const std::vector<TaskPlace>& tasks) {
  return std::any_of(tasks.begin(), tasks.end(),
                     [&tasks](const TaskPlace& task) { return !same_gpus(task, tasks.front()); });
}

// The first GPU that each task sees.
Result<std::vector<probe::GpuInfo>> gpus_of_tasks(const std::vector<TaskPlace>& tasks,
                                                  const messages::NodeRanks& ranks) {
  std::vector<probe::GpuInfo> gpus;
  for (Rank rank = 0; rank < ranks.count; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (at >= tasks.size() || tasks[at].gpus.empty()) {
      return bad_request(
          fmt::format("srun's task of rank {} sees no GPU, and others do: let each task see those "
                      "of its node (srun --gpus-per-node, --gpu-bind=none), or set devices.kind = "
                      "\"cpu\"",
                      ranks.first + rank));
    }
    gpus.push_back(tasks[at].gpus.front());
  }
  return gpus;
}

// The GPUs for all ranks on the host of `node`.
Result<std::vector<probe::GpuInfo>> choose_gpus(const RunSpec& spec, Node node,
                                                const std::vector<probe::GpuInfo>& offered) {
  const auto wanted = static_cast<std::size_t>(messages::devices_of_host(spec, node));
  if (spec.devices.ids.empty()) {
    if (wanted > offered.size() && spec.devices.nodes > 1 && !messages::has_virtual_nodes(spec)) {
      return bad_request(
          fmt::format("node {} has {} of the ranks, but {} GPUs can be used there: change "
                      "devices.ranks_per_node, or set devices.kind = \"cpu\"",
                      node, wanted, offered.size()));
    }
    if (wanted > offered.size()) {
      return bad_request(fmt::format(
          "devices.world_size = {} asks for {} GPUs, but {} can be used here: lower it, or set "
          "devices.kind = \"cpu\"",
          wanted, wanted, offered.size()));
    }
    return std::vector<probe::GpuInfo>(offered.begin(),
                                       offered.begin() + static_cast<std::ptrdiff_t>(wanted));
  }
  if (spec.devices.nodes <= 1 && spec.devices.ids.size() != wanted) {
    return bad_request(
        fmt::format("devices.ids names {} GPUs, but devices.world_size is {}: one for each rank",
                    spec.devices.ids.size(), wanted));
  }
  std::vector<std::string> known;
  for (const probe::GpuInfo& gpu : offered) known.push_back(gpu.uuid);
  std::vector<probe::GpuInfo> chosen;
  for (const std::string& id : ids_of_host(spec, node)) {
    const auto found = std::find(known.begin(), known.end(), id);
    if (found == known.end()) {
      return bad_request("devices.ids: no GPU \"" + id + "\" can be used here" +
                         suggestion(id, known));
    }
    const auto& gpu = offered[static_cast<std::size_t>(found - known.begin())];
    const auto same = [&](const probe::GpuInfo& other) { return other.uuid == gpu.uuid; };
    if (std::any_of(chosen.begin(), chosen.end(), same)) {
      return bad_request("devices.ids names \"" + id +
                         "\" twice: each rank needs a GPU of its own");
    }
    chosen.push_back(gpu);
  }
  return chosen;
}

// NCCL does not support two MIG instances of one GPU, and CUDA shows a process only the first
// instance in its list.
Result<void> check_mig(const std::vector<probe::GpuInfo>& chosen) {
  const auto instance = std::find_if(chosen.begin(), chosen.end(),
                                     [](const probe::GpuInfo& gpu) { return !gpu.mig_of.empty(); });
  if (chosen.size() < 2 || instance == chosen.end()) return {};
  return bad_request(instance->uuid +
                     " is a MIG instance: it can be the device of one rank alone; use whole GPUs "
                     "or devices.world_size = 1");
}

using Values = std::vector<std::pair<std::string, std::string>>;

bool has_variable(const std::vector<std::string>& environment, const std::string& name) {
  return std::any_of(environment.begin(), environment.end(),
                     [&](const std::string& entry) { return entry.starts_with(name + "="); });
}

// Slurm's variables for the tasks of one node, outside Slurm. Some programs derive a port from the
// job id, so it is a number that no job has: the reserved port.
Values slurm_values(const SpawnPlanInput& input, const SpawnPlan& plan, const Values& torchrun) {
  const auto of = [&torchrun](std::string_view name) {
    return std::find_if(torchrun.begin(), torchrun.end(),
                        [&](const auto& one) { return one.first == name; })
        ->second;
  };
  const std::string tasks = of("WORLD_SIZE");
  const std::string job = std::to_string(input.master_port);
  Values values{{"SLURM_PROCID", of("RANK")},
                {"SLURM_LOCALID", of("LOCAL_RANK")},
                {"SLURM_NODEID", "0"},
                {"SLURM_CPUS_PER_TASK", of("OMP_NUM_THREADS")},
                {"SLURM_SRUN_COMM_HOST", input.master_address},
                {"SLURM_LAUNCH_NODE_IPADDR", input.master_address},
                {"SLURM_JOB_NAME", input.spec.name}};
  for (const char* name : {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_NUM_TASKS",
                           "SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE"})
    values.emplace_back(name, tasks);
  for (const char* name : {"SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_STEP_NUM_NODES"})
    values.emplace_back(name, "1");
  for (const char* name :
       {"SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURM_STEP_NODELIST", "SLURMD_NODENAME"})
    values.emplace_back(name, "localhost");
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOBID"}) values.emplace_back(name, job);
  if (!plan.gpus.empty())
    values.emplace_back("SLURM_GPUS_ON_NODE", std::to_string(plan.gpus.size()));
  return values;
}

// Whether a script that starts its own ranks gets this torchrun variable: none that would make it a
// rank.
bool is_for_script(const std::string& name) {
  static const std::set<std::string_view> kNot = {
      "RANK",       "LOCAL_RANK",  "WORLD_SIZE", "LOCAL_WORLD_SIZE",
      "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT"};
  return !kNot.contains(name) && !name.starts_with("TORCHELASTIC_");
}

// torchrun's variables, then ours; RANKS.md in this folder explains each.
Values rank_values(const SpawnPlanInput& input, int threads, Rank rank,
                   const std::filesystem::path& folder) {
  const messages::NodeRanks here = messages::ranks_of_node(input.spec, input.node);
  return {{"RANK", std::to_string(rank)},
          {"LOCAL_RANK", std::to_string(rank - here.first)},
          {"WORLD_SIZE", std::to_string(messages::process_count(input.spec))},
          {"LOCAL_WORLD_SIZE", std::to_string(here.count)},
          {"GROUP_RANK", std::to_string(input.node)},
          {"MASTER_ADDR", input.master_address},
          {"MASTER_PORT", std::to_string(input.master_port)},
          {"TORCHELASTIC_RUN_ID", input.folder.id()},
          {"TORCHELASTIC_RESTART_COUNT", std::to_string(input.attempt)},
          {"TORCHELASTIC_MAX_RESTARTS", std::to_string(input.spec.limits.restarts)},
          {"TORCHELASTIC_ERROR_FILE", (folder / "error.json").string()},
          {"OMP_NUM_THREADS", std::to_string(threads)},
          {"RINGSIDE_RUN_DIR", input.folder.path().string()},
          {"RINGSIDE_ATTEMPT", std::to_string(input.attempt)},
          {"RINGSIDE_NODE", std::to_string(input.node)},
          {"RINGSIDE_RANK", fmt::format("{}/{}", rank, messages::process_count(input.spec))},
          {"RINGSIDE_AGENT", input.marker}};
}

// The environment that all ranks share: the inherited one and, for a custom program, the user's
// variables and the location of our client.
std::vector<std::string> common_environment(const SpawnPlanInput& input,
                                            const std::vector<std::string>& inherited) {
  const messages::ProgramSpec& program = input.spec.program;
  if (program.argv.empty()) return inherited;
  Values own;
  for (const std::string& entry : program.environment) {
    const std::size_t equals = entry.find('=');
    own.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  auto environment = with_values(inherited, own);
  constexpr std::string_view kPythonPath = "PYTHONPATH=";
  std::string python_path;
  for (const std::string& entry : environment) {
    if (entry.starts_with(kPythonPath)) python_path = entry.substr(kPythonPath.size());
  }
  // These variables belong to an outer run, if this one was started within a rank.
  std::erase_if(environment, [](const std::string& entry) {
    return entry.starts_with("RINGSIDE_INSTRUMENT=") || entry.starts_with("RINGSIDE_RANK_LIBRARY=");
  });
  return with_values(std::move(environment),
                     client_values(input.client, program.instrument, python_path));
}

// The CPUs of each rank of this host. Tasks of srun are bound by Slurm, so those ranks are not.
std::vector<std::vector<int>> bound_cpus(const SpawnPlanInput& input, std::vector<int> near,
                                         SpawnPlan& plan) {
  const auto ranks = static_cast<std::size_t>(plan.host_ranks);
  const std::string& affinity = input.spec.devices.affinity;
  const bool for_several =
      near.size() > ranks || messages::started_as(input.spec) == "script";  // one process
  near.resize(ranks, -1);
  if (input.tasks.empty() && !for_several)
    return cpus_of_ranks(affinity, input.resources.cpus, near);
  if (affinity != "none") {
    plan.warnings.push_back(
        "devices.affinity = \"" + affinity + "\" has no effect on " +
        (for_several ? "one process for several devices, whose threads need the cores of all"
                     : "tasks of srun, which binds them: srun --cpu-bind"));
  }
  return std::vector<std::vector<int>>(ranks);
}

// The threads of a rank: no more than its part of the CPUs that it is bound to.
int threads_on(const std::vector<int>& cpus, const std::vector<std::vector<int>>& all,
               int threads) {
  if (cpus.empty()) return threads;
  const auto sharers = std::count(all.begin(), all.end(), cpus);
  return std::clamp(static_cast<int>(std::ssize(cpus) / sharers), 1, threads);
}

// Adds the variables `own` to a rank whose command starts a container. The inherited environment is
// not passed on, since the host's folders mean nothing in a container.
void put_into_container(const SpawnPlanInput& input, const Values& own, RankPlan& rank) {
  auto made =
      in_container(std::move(rank.argv),
                   {with_values(common_environment(input, {}), own), input.folder.path(),
                    input.client, input.spec.devices.world_size > 1, rank.folder, rank.cpus},
                   rank.environment);
  rank.argv = std::move(made.argv);
  rank.environment = with_values(std::move(rank.environment), made.variables);
  rank.container = std::move(made.added);
}

}  // namespace

std::vector<std::string> with_values(std::vector<std::string> environment, const Values& values) {
  for (const auto& [name, value] : values) {
    const std::string prefix = name + "=";
    std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(prefix); });
    environment.push_back(prefix + value);
  }
  return environment;
}

TaskResources resources_of(const std::vector<TaskPlace>& tasks) {
  TaskResources all;
  std::set<int> cores;
  for (const TaskPlace& task : tasks) {
    cores.insert(task.cores.begin(), task.cores.end());
    for (const probe::GpuInfo& gpu : task.gpus) {
      const bool known = std::any_of(all.gpus.begin(), all.gpus.end(),
                                     [&gpu](const auto& other) { return other.uuid == gpu.uuid; });
      if (!known) all.gpus.push_back(gpu);
    }
  }
  all.cores = static_cast<int>(cores.size());
  return all;
}

Result<SpawnPlan> make_spawn_plan(const SpawnPlanInput& input) {
  const RunSpec& spec = input.spec;
  RINGSIDE_TRY(messages::validate(spec));
  SpawnPlan plan;
  plan.cuda =
      spec.devices.kind == "cuda" || (spec.devices.kind == "auto" && !input.resources.gpus.empty());
  const messages::NodeRanks here = messages::ranks_of_node(spec, input.node);
  const messages::NodeRanks host = messages::ranks_of_host(spec, input.node);
  const Rank count = host.count;
  plan.host_ranks = count;
  // A task gets its share of the cores even if other tasks have no rank, as in a baseline.
  const bool script = messages::started_as(spec) == "script";
  const auto sharers = std::max({count, static_cast<Rank>(input.tasks.size()),
                                 script ? static_cast<Rank>(spec.devices.world_size) : 0});
  plan.threads = spec.devices.threads > 0 ? static_cast<int>(spec.devices.threads)
                                          : std::max(1, input.resources.cores / sharers);
  std::string visible;
  std::string numbers;
  std::vector<int> near;
  const bool dealt_out = are_dealt_out(input.tasks);
  if (plan.cuda) {
    const auto gpus = dealt_out ? gpus_of_tasks(input.tasks, here)
                                : choose_gpus(spec, input.node, input.resources.gpus);
    if (!gpus) return pass(gpus);
    RINGSIDE_TRY(check_mig(*gpus));
    for (std::size_t i = 0; i < gpus->size(); ++i) {
      const probe::GpuInfo& gpu = (*gpus)[i];
      plan.host_gpus.push_back(gpu.uuid);
      near.push_back(gpu.numa_node);
      const auto rank = host.first + static_cast<Rank>(i);
      if (messages::has_virtual_nodes(spec) && !here.contains(rank)) continue;
      visible += (visible.empty() ? "" : ",") + gpu.uuid;
      numbers += (numbers.empty() ? "" : ",") + gpu.uuid + "=" + std::to_string(gpu.index);
      plan.gpus.push_back(gpu.uuid);
    }
    if (dealt_out) {
      plan.warnings.emplace_back(
          "srun shows each rank a GPU of its own, which is CUDA number 0 there: a script that "
          "takes "
          "number LOCAL_RANK fails; srun --gpu-bind=none shows all of them to each");
    }
  } else if (messages::devices_of_host(spec, input.node) > count && !script) {
    return bad_request(
        "devices.parallel = \"dp\" spreads one process over several GPUs, and none is used here: "
        "set "
        "devices.world_size = 1, or devices.parallel = \"ddp\" for CPU slots");
  } else if (count > input.resources.cores) {
    plan.warnings.push_back(fmt::format(
        "{} ranks share {} cores: they take turns, so more ranks will not make this run faster",
        count, input.resources.cores));
  }
  const std::vector<std::string> argv =
      spec.program.argv.empty()
          ? std::vector<std::string>{input.trainer, "--run-dir", input.folder.path().string()}
          : spec.program.argv;
  if (!spec.program.argv.empty()) {
    plan.cwd = spec.program.cwd;
    const std::string missing = missing_text(input.client, spec.program.instrument);
    if (!missing.empty()) plan.warnings.push_back(missing);
  }
  const auto cpus = bound_cpus(input, std::move(near), plan);
  for (Rank rank = here.first; rank < here.first + here.count; ++rank) {
    const auto local = static_cast<std::size_t>(rank - here.first);
    const auto common = common_environment(
        input, local < input.tasks.size() ? input.tasks[local].environment : input.environment);
    RankPlan one{rank, argv,
                 {},   input.folder.rank_dir(input.attempt, rank),
                 {},   cpus.at(static_cast<std::size_t>(rank - host.first))};
    Values values = rank_values(input, threads_on(one.cpus, cpus, plan.threads), rank, one.folder);
    if (messages::started_as(spec) == "slurm") {
      const Values slurm = slurm_values(input, plan, values);
      values.insert(values.end(), slurm.begin(), slurm.end());
    }
    if (script) std::erase_if(values, [](const auto& each) { return !is_for_script(each.first); });
    // All GPUs of the run, in rank order: LOCAL_RANK is then the CUDA index, as with torchrun, and
    // a single process for all devices sees all of them.
    if (plan.cuda)
      values.emplace_back("CUDA_VISIBLE_DEVICES", dealt_out ? plan.gpus.at(local) : visible);
    if (plan.cuda) values.emplace_back("RINGSIDE_GPUS", numbers);
    // Otherwise NCCL and Gloo choose any interface. NCCL matches prefixes unless the name begins
    // with "=".
    const Values interfaces = {{"NCCL_SOCKET_IFNAME", "=" + input.interface},
                               {"GLOO_SOCKET_IFNAME", input.interface}};
    for (const auto& [name, interface] : interfaces) {
      if (!input.interface.empty() && !has_variable(common, name))
        values.emplace_back(name, interface);
    }
    // Unbuffered, so that output can be read while the program runs.
    if (!spec.program.argv.empty() && !has_variable(common, "PYTHONUNBUFFERED"))
      values.emplace_back("PYTHONUNBUFFERED", "1");
    one.environment = with_values(common, values);
    if (!spec.program.argv.empty()) put_into_container(input, values, one);
    plan.ranks.push_back(std::move(one));
  }
  return plan;
}

}  // namespace ringside::agent
