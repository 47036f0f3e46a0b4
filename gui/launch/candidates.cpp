#include "gui/launch/candidates.h"

#include <algorithm>
#include <string_view>

namespace ringside::launch {
namespace {

using messages::RunSpec;

/// The variable from which the package in a script takes arguments.
constexpr std::string_view kArguments = "RINGSIDE_ARGUMENTS=";

/// Threads of a rank: all cores shared out, or one where that is what it has.
void add_threads(const RunSpec& spec, int cores, std::vector<Candidate>& all) {
  if (spec.devices.kind == "cuda") return;
  const std::int64_t shared = std::max<std::int64_t>(1, cores / spec.devices.world_size);
  const std::int64_t now = spec.devices.threads == 0 ? shared : spec.devices.threads;
  for (const std::int64_t threads : {shared, std::int64_t{1}}) {
    if (threads == now) continue;
    all.push_back({"devices.threads=" + std::to_string(threads),
                   {},
                   threads < now ? "threads that wait for each other take time"
                                 : "operators are shared out over more cores"});
    return;
  }
}

void add_of_script(const RunSpec& spec, std::vector<Candidate>& all) {
  if (!spec.program.instrument) return;
  all.push_back({{}, "DataLoader.num_workers=2", "batches are loaded beside the training", true});
  if (spec.devices.kind == "cuda")
    all.push_back({{}, "DataLoader.pin_memory=1", "copies to the GPU take less", true});
  if (spec.devices.world_size == 1) return;
  all.push_back({{}, "DistributedDataParallel.bucket_cap_mb=100", "fewer and larger all-reduces"});
  all.push_back({{},
                 "DistributedDataParallel.gradient_as_bucket_view=1",
                 "gradients are not copied into the buckets",
                 true});
}

void add_of_trainer(const RunSpec& spec, bool other_numbers, std::vector<Candidate>& all) {
  const bool cuda = spec.devices.kind == "cuda";
  if (!spec.data.on_device)
    all.push_back(
        {"data.workers=" + std::to_string(std::max<std::int64_t>(2, 2 * spec.data.workers)),
         {},
         "batches are loaded beside the training",
         true});
  if (cuda && !spec.train.cuda_graph)
    all.push_back({"train.cuda_graph=true", {}, "a step is launched as a whole", true});
  if (!other_numbers) return;
  if (cuda && !spec.train.cudnn_benchmark)
    all.push_back({"train.cudnn_benchmark=true", {}, "the quickest kernels are looked for"});
  if (!spec.train.channels_last)
    all.push_back({"train.channels_last=true", {}, "convolutions read memory in their own order"});
  if (spec.train.precision != "bf16")
    all.push_back({"train.precision=bf16", {}, "half of the bytes for each number"});
}

}  // namespace

std::vector<Candidate> candidates(const RunSpec& spec, int cores, bool other_numbers) {
  std::vector<Candidate> all;
  if (spec.program.argv.empty()) {
    add_of_trainer(spec, other_numbers, all);
  } else {
    add_of_script(spec, all);
  }
  add_threads(spec, cores, all);
  return all;
}

Result<RunSpec> with_candidate(RunSpec spec, const Candidate& candidate) {
  if (candidate.set.empty()) {
    auto& environment = spec.program.environment;
    const auto there = std::ranges::find_if(
        environment, [](const std::string& one) { return one.starts_with(kArguments); });
    if (there != environment.end()) {
      *there += "," + candidate.argument;
    } else {
      environment.push_back(std::string(kArguments) + candidate.argument);
    }
  } else {
    RINGSIDE_TRY(messages::set_field(spec, candidate.set));
  }
  return spec;
}

std::string kept_by(const Candidate& candidate) {
  if (!candidate.set.empty()) return "--set " + candidate.set;
  const std::size_t dot = candidate.argument.find('.');
  const std::size_t equals = candidate.argument.find('=');
  std::string value = candidate.argument.substr(equals + 1);
  if (value == "1") value = "True";
  return candidate.argument.substr(dot + 1, equals - dot) + value + " in " +
         candidate.argument.substr(0, dot) + "(...)";
}

}  // namespace ringside::launch
