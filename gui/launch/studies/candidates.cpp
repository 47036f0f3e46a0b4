#include "gui/launch/studies/candidates.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <utility>

#include "gui/launch/program/program_files.h"
#include "protocol/messages/notice_codes.h"

namespace ringside::launch {
namespace {

using messages::RunSpec;

/// The variable that passes arguments to the package in a script.
constexpr std::string_view kArguments = "RINGSIDE_ARGUMENTS=";
constexpr std::string_view kThreadsOfTorch = "torch.set_num_threads=";
constexpr std::string_view kPasses = "DistributedDataParallel.no_sync=";
/// A run with this many buckets whose mean size is below that of PyTorch's smallest, the first one,
/// spends its exchanges on starting them.
constexpr std::int64_t kManyBuckets = 8;
constexpr double kSmallBucket = 1 << 20;
/// A mistake that the run shows comes first if its part of a step is this large.
constexpr double kLargeShare = 0.2;

constexpr std::string_view kWorkers = "DataLoader.num_workers=";
constexpr std::string_view kPrefetch = "DataLoader.prefetch_factor=";
constexpr std::string_view kPersistent = "DataLoader.persistent_workers=";
constexpr std::string_view kAnomaly = "torch.set_detect_anomaly=";
constexpr std::string_view kAutocast = "DistributedDataParallel.bf16=";
constexpr std::string_view kChannelsLast = "DistributedDataParallel.channels_last=";
/// Loaders that begin an epoch more seldom do not begin one in a short run.
constexpr std::int64_t kShortEpoch = 40;
/// Workers that start in every epoch show as waits in its first step.
constexpr double kMostlyFirst = 0.5;

bool is_script(const RunSpec& spec) { return !spec.program.argv.empty(); }

bool on_gpus(const RunSpec& spec) { return spec.devices.kind == "cuda"; }

/// Returns the cores of each rank; 1 if there are fewer cores than ranks.
std::int64_t cores_of_rank(const RunSpec& spec, int cores) {
  return std::max<std::int64_t>(1, cores / std::max<std::int64_t>(1, spec.devices.world_size));
}

/// Proposes one thread for each core of a rank, or one thread if the rank has that many already.
void add_threads(const RunSpec& spec, int cores, const Shown& shown, std::vector<Candidate>& all) {
  if (on_gpus(spec)) return;
  const std::int64_t shared = cores_of_rank(spec, cores);
  const std::int64_t asked = spec.devices.threads == 0 ? shared : spec.devices.threads;
  const std::int64_t now = shown.threads > 0 ? shown.threads : asked;
  const std::int64_t threads = now == shared ? 1 : shared;
  if (threads == now) return;
  Candidate candidate;
  candidate.why = threads < now ? "threads that wait for each other take time"
                                : "operators are shared out over more cores";
  if (is_script(spec) && only_outside(spec, shown).empty()) {
    candidate.argument = std::string(kThreadsOfTorch) + std::to_string(threads);
  } else {
    candidate.set = "devices.threads=" + std::to_string(threads);
  }
  candidate.shown = now > shared;
  all.push_back(std::move(candidate));
}

void add_setting(std::string set, std::string why, std::vector<Candidate>& all) {
  all.push_back({std::move(set), {}, std::move(why), true});
}

constexpr std::string_view kAffinity = "devices.affinity=";

/// Proposes cores of its own for each rank of several on one machine.
void add_affinity(const RunSpec& spec, const Machine& machine, std::vector<Candidate>& all) {
  const std::int64_t ranks = messages::process_count(spec);
  if (spec.devices.affinity != "none" || spec.devices.nodes > 1 || ranks < 2) return;
  if (machine.cores >= ranks)
    add_setting("devices.affinity=cores", "ranks keep their cores and what these have cached", all);
  if (machine.numa_nodes > 1)
    add_setting("devices.affinity=numa", "ranks stay near their memory and their GPU", all);
}

/// Tells which entries of an environment set the variable of "NAME=value".
auto sets(const std::string& variable) {
  return [name = variable.substr(0, variable.find('=') + 1)](const std::string& one) {
    return one.starts_with(name);
  };
}

/// Leaves out what the program's environment has already.
void add_variable(const RunSpec& spec, std::string variable, std::string why,
                  std::vector<Candidate>& all) {
  if (std::ranges::any_of(spec.program.environment, sets(variable))) return;
  Candidate candidate;
  candidate.variable = std::move(variable);
  candidate.why = std::move(why);
  candidate.part = StepPart::kExchange;
  all.push_back(std::move(candidate));
}

/// Proposes what the links between the GPUs suggest to NCCL.
void add_nccl(const RunSpec& spec, const Machine& machine, const Shown& shown,
              std::vector<Candidate>& all) {
  // A program that names no backend reports "undefined" or one for each kind of device.
  const bool other = shown.backend == "gloo" || shown.backend == "mpi" || shown.backend == "solo";
  if (other || !on_gpus(spec) || spec.devices.world_size < 2 || machine.links.empty()) return;
  const auto any = [&machine](auto fits) {
    return std::ranges::any_of(machine.links, fits, &Link::word);
  };
  const auto is_nvlink = [](const std::string& word) { return word.starts_with("NV"); };
  if (any([](const std::string& word) { return word == "PHB" || word == "NODE" || word == "SYS"; }))
    add_variable(spec, "NCCL_P2P_LEVEL=SYS", "GPUs copy to each other directly across host bridges",
                 all);
  if (any(is_nvlink))
    add_variable(spec, "NCCL_MIN_NCHANNELS=16", "more of NVLink is used at once", all);
  else
    add_variable(spec, "NCCL_BUFFSIZE=8388608", "longer pieces over PCIe", all);
}

void add_argument(std::string argument, std::string why, StepPart part, bool same_loss,
                  std::vector<Candidate>& all, bool shown = false) {
  all.push_back({{}, std::move(argument), std::move(why), same_loss, part, shown});
}

/// What a rank reports to be left on, and the change that turns it off: an argument or a variable.
struct LeftOn {
  std::string_view notice;
  const char* argument;
  const char* variable;
  const char* why;
  StepPart part;
};
constexpr LeftOn kLeftOn[] = {
    {messages::kAnomalyMode, "torch.set_detect_anomaly=0", "",
     "no traceback of each operation, and no search for NaN behind it", StepPart::kComputing},
    {messages::kLaunchBlocking, "", "CUDA_LAUNCH_BLOCKING=0",
     "kernels are launched while others run", StepPart::kComputing},
    {messages::kDistributedDebug, "", "TORCH_DISTRIBUTED_DEBUG=OFF",
     "collectives are not compared before they start", StepPart::kExchange},
    {messages::kUnusedParameters, "DistributedDataParallel.find_unused_parameters=0", "",
     "no search of the graph for parameters without a gradient", StepPart::kComputing},
};

void add_left_on(const Shown& shown, std::vector<Candidate>& all) {
  for (const LeftOn& one : kLeftOn) {
    if (std::ranges::find(shown.notices, one.notice) == shown.notices.end()) continue;
    add_argument(one.argument, one.why, one.part, true, all, true);
    all.back().variable = one.variable;
  }
}

void add_exchange_of_script(const Shown& shown, std::vector<Candidate>& all) {
  if (shown.exchanges > 1)
    add_argument(std::string(kPasses) + std::to_string(shown.exchanges),
                 "gradients are exchanged once a step", StepPart::kExchange, false, all, true);
  const bool small = shown.buckets >= kManyBuckets && shown.bucket_bytes < kSmallBucket;
  if (shown.buckets != 1)
    add_argument("DistributedDataParallel.bucket_cap_mb=100", "fewer and larger all-reduces",
                 StepPart::kExchange, false, all, small);
  add_argument("DistributedDataParallel.gradient_as_bucket_view=1",
               "gradients are not copied into the buckets", StepPart::kComputing, true, all);
  add_argument("DistributedDataParallel.static_graph=1",
               "unused parameters are looked for once, not in every step", StepPart::kComputing,
               true, all);
}

void add_loading_of_script(const RunSpec& spec, int cores, const Shown& shown,
                           std::vector<Candidate>& all) {
  const std::int64_t workers = std::max<std::int64_t>(2, cores_of_rank(spec, cores) / 2);
  for (const std::int64_t count : {workers, 2 * workers})
    add_argument(std::string(kWorkers) + std::to_string(count),
                 "batches are loaded beside the training", StepPart::kData, true, all);
  // A change that is kept may give the loader workers, see what_it_lacks().
  add_argument(std::string(kPrefetch) + "8", "more batches wait where loading goes in bursts",
               StepPart::kData, true, all);
  if (shown.epoch_steps <= kShortEpoch)
    add_argument(std::string(kPersistent) + "1", "workers start once, not in every epoch",
                 StepPart::kData, true, all, shown.workers > 0 && shown.first_waits > kMostlyFirst);
  if (on_gpus(spec))
    add_argument("DataLoader.pin_memory=1", "copies to the GPU take less", StepPart::kData, true,
                 all);
}

void add_other_numbers_of_script(std::vector<Candidate>& all) {
  for (const auto& [argument, why] :
       {std::pair(kAutocast, "half of the bytes for each number"),
        std::pair(kChannelsLast, "convolutions read memory in their own order")}) {
    add_argument(std::string(argument) + "1", why, StepPart::kComputing, false, all);
    all.back().alters_numbers = true;
  }
}

void add_of_program(const RunSpec& spec, const Machine& machine, bool other_numbers,
                    const Shown& shown, std::vector<Candidate>& all) {
  const bool several = spec.devices.world_size > 1;
  add_left_on(shown, all);
  if (only_outside(spec, shown).empty()) {
    add_loading_of_script(spec, machine.cores, shown, all);
    if (several) add_exchange_of_script(shown, all);
    if (several && other_numbers) add_other_numbers_of_script(all);
  }
  add_nccl(spec, machine, shown, all);
}

void add_of_trainer(const RunSpec& spec, bool other_numbers, std::vector<Candidate>& all) {
  const bool cuda = on_gpus(spec);
  if (!spec.data.on_device) {
    const std::int64_t workers = std::max<std::int64_t>(2, 2 * spec.data.workers);
    for (const std::int64_t count : {workers, 2 * workers})
      all.push_back({"data.workers=" + std::to_string(count),
                     {},
                     "batches are loaded beside the training",
                     true,
                     StepPart::kData});
  }
  if (cuda && !spec.train.cuda_graph)
    all.push_back({"train.cuda_graph=true", {}, "a step is launched as a whole", true});
  if (!other_numbers) return;
  const auto before = static_cast<std::ptrdiff_t>(all.size());
  if (cuda && !spec.train.cudnn_benchmark)
    all.push_back({"train.cudnn_benchmark=true", {}, "the quickest kernels are looked for"});
  if (!spec.train.channels_last)
    all.push_back({"train.channels_last=true", {}, "convolutions read memory in their own order"});
  if (spec.train.precision != "bf16")
    all.push_back({"train.precision=bf16", {}, "half of the bytes for each number"});
  std::for_each(all.begin() + before, all.end(), [](Candidate& one) { one.alters_numbers = true; });
}

/// Whether a changed argument gives the loader workers; the last of several counts.
bool is_given_workers(const RunSpec& spec) {
  for (const std::string& one : spec.program.environment) {
    const std::size_t at = one.starts_with(kArguments) ? one.rfind(kWorkers) : one.npos;
    if (at != one.npos) return !one.substr(at + kWorkers.size()).starts_with('0');
  }
  return false;
}

/// Adds an argument to those that the package in a script already overrides.
void add_to_environment(const std::string& argument, RunSpec& spec) {
  auto& environment = spec.program.environment;
  const auto there = std::ranges::find_if(
      environment, [](const std::string& one) { return one.starts_with(kArguments); });
  if (there != environment.end()) {
    *there += "," + argument;
  } else {
    environment.push_back(std::string(kArguments) + argument);
  }
}

}  // namespace

std::string only_outside(const RunSpec& spec, const Shown& shown) {
  if (!is_script(spec)) return {};
  if (!spec.program.instrument) return "it is not instrumented";
  if (shown.torch) return *shown.torch ? "" : "it reports no PyTorch";
  const std::filesystem::path program(spec.program.argv.front());
  if (is_python_program(program) || program.extension() == ".py") return {};
  return program.filename().string() +
         " is not Python; a first run shows whether it starts PyTorch";
}

std::vector<Candidate> candidates(const RunSpec& spec, const Machine& machine, bool other_numbers,
                                  const Shown& shown) {
  std::vector<Candidate> all;
  if (is_script(spec)) {
    add_of_program(spec, machine, other_numbers, shown, all);
  } else {
    add_of_trainer(spec, other_numbers, all);
  }
  add_threads(spec, machine.cores, shown, all);
  add_affinity(spec, machine, all);
  for (Candidate& one : all) {
    // The binding of ranks may change every part of a step.
    if (!one.set.starts_with(kAffinity))
      one.most = shown.shares[static_cast<std::size_t>(one.part)];
  }
  // A share that was not measured may be the whole step.
  const auto weight = [&shown](const Candidate& one) {
    const double measured = shown.shares[static_cast<std::size_t>(one.part)];
    const double share = std::isnan(measured) ? 1.0 : measured;
    return std::tuple(!one.alters_numbers, one.shown && share >= kLargeShare, share);
  };
  std::ranges::stable_sort(all, std::greater<>(), weight);
  return all;
}

std::string what_it_lacks(const Candidate& candidate, const RunSpec& spec, const Shown& shown) {
  const std::string& argument = candidate.argument;
  const bool needs = argument.starts_with(kPrefetch) || argument.starts_with(kPersistent);
  if (!needs || shown.workers > 0 || is_given_workers(spec)) return {};
  return "no workers of its loader are known";
}

Result<RunSpec> with_candidate(RunSpec spec, const Candidate& candidate) {
  if (!candidate.variable.empty()) {
    auto& environment = spec.program.environment;
    std::erase_if(environment, sets(candidate.variable));
    environment.push_back(candidate.variable);
  } else if (candidate.set.empty()) {
    add_to_environment(candidate.argument, spec);
  } else {
    RINGSIDE_TRY(messages::set_field(spec, candidate.set));
  }
  return spec;
}

RunSpec cut_short(RunSpec spec, std::int64_t steps) {
  if (is_script(spec)) {
    if (spec.program.instrument) add_to_environment("script.steps=" + std::to_string(steps), spec);
    return spec;
  }
  const std::int64_t most = spec.train.max_steps;
  spec.train.max_steps = most > 0 ? std::min(most, steps) : steps;
  spec.evaluate.mode = "none";
  spec.checkpoint.every_epochs = 0;
  return spec;
}

std::string kept_by(const Candidate& candidate) {
  if (!candidate.variable.empty()) return "--env " + candidate.variable;
  if (!candidate.set.empty()) return "--set " + candidate.set;
  const std::string& argument = candidate.argument;
  const std::size_t dot = argument.find('.');
  const std::size_t equals = argument.find('=');
  std::string value = argument.substr(equals + 1);
  if (argument.starts_with(kThreadsOfTorch)) return "torch.set_num_threads(" + value + ")";
  if (argument.starts_with(kPasses))
    return "with model.no_sync(): around all but the last of " + value + " passes";
  if (argument.starts_with(kAutocast))
    return "with torch.autocast(device, torch.bfloat16): around model and loss";
  if (argument.starts_with(kChannelsLast))
    return "model.to(memory_format=torch.channels_last) before DistributedDataParallel(...)";
  if (argument.starts_with(kAnomaly)) return "torch.autograd.set_detect_anomaly(False)";
  const std::string name = argument.substr(dot + 1, equals - dot - 1);
  const bool counts =
      name.starts_with("num_") || name.ends_with("_factor") || name.ends_with("_mb");
  if (!counts) value = value == "1" ? "True" : "False";
  return name + "=" + value + " in " + argument.substr(0, dot) + "(...)";
}

}  // namespace ringside::launch
