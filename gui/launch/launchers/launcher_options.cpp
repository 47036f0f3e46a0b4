#include "gui/launch/launchers/launcher_options.h"

#include <algorithm>
#include <array>

#include "protocol/base/nearest.h"
#include "protocol/base/printable.h"

namespace ringside::launch {
namespace {

using Use = OptionUse;

constexpr std::string_view kMeeting = "the agent brings the ranks together on this machine";
constexpr std::string_view kOutput = "the output of every rank is kept in the run folder";
constexpr std::string_view kPort = "the agent reserves a port";
constexpr std::string_view kSharded =
    "start the script with torchrun and set it up in the script instead";

// torchrun's options: torch/distributed/run.py and launch.py of torch 2.15.
constexpr auto kTorchrun = std::to_array<LauncherOption>({
    {"--nproc-per-node", true, Use::kRanks},
    {"--nnodes", true, Use::kNodes},
    {"--node-rank", true, Use::kNode},
    {"--max-restarts", true, Use::kRestarts},
    {"--module", false, Use::kModule},
    {"-m", false, Use::kModule},
    {"--no-python", false, Use::kNoPython},
    {"--use-env", false, Use::kUseEnv},
    {"--standalone", false, Use::kOurs, kMeeting},
    {"--rdzv-backend", true, Use::kOurs, kMeeting},
    {"--rdzv-endpoint", true, Use::kOurs, kMeeting},
    {"--rdzv-id", true, Use::kOurs, kMeeting},
    {"--rdzv-conf", true, Use::kOurs, kMeeting},
    {"--master-addr", true, Use::kOurs, kMeeting},
    {"--local-addr", true, Use::kOurs, kMeeting},
    {"--master-port", true, Use::kOurs, kPort},
    {"--log-dir", true, Use::kOurs, kOutput},
    {"--redirects", true, Use::kOurs, kOutput},
    {"-r", true, Use::kOurs, kOutput},
    {"--tee", true, Use::kOurs, kOutput},
    {"-t", true, Use::kOurs, kOutput},
    {"--local-ranks-filter", true, Use::kOurs, kOutput},
    {"--duplicate-stdout-filters", true, Use::kOurs, kOutput},
    {"--duplicate-stderr-filters", true, Use::kOurs, kOutput},
    {"--logs-specs", true, Use::kOurs, kOutput},
    {"--monitor-interval", true, Use::kLeftOut},
    {"--start-method", true, Use::kLeftOut},
    {"--event-log-handler", true, Use::kLeftOut},
    {"--role", true, Use::kLeftOut},
    {"--run-path", false, Use::kLeftOut},
    {"--signals-to-handle", true, Use::kLeftOut},
    {"--shutdown-timeout", true, Use::kLeftOut},
    {"--log-line-prefix-template", true, Use::kOurs, kOutput},
    {"--print-completion", true, Use::kRefused, "it starts nothing; call torchrun itself for it"},
    {"--numa-binding", true, Use::kRefused, "bind the ranks with numactl inside of the command"},
    {"--virtual-local-rank", false, Use::kRefused,
     "leave it out: each rank sees all GPUs of the run and takes that of its LOCAL_RANK"},
});

// Options of accelerate 1.12's commands/launch.py that name no other machinery.
constexpr auto kAccelerate = std::to_array<LauncherOption>({
    {"--num-processes", true, Use::kRanks},
    {"--num-machines", true, Use::kNodes},
    {"--machine-rank", true, Use::kNode},
    {"--max-restarts", true, Use::kRestarts},
    {"--module", false, Use::kModule},
    {"-m", false, Use::kModule},
    {"--no-python", false, Use::kNoPython},
    {"--cpu", false, Use::kCpu},
    {"--gpu-ids", true, Use::kDevices},
    {"--mixed-precision", true, Use::kPrecision},
    {"--gradient-accumulation-steps", true, Use::kVariable,
     "ACCELERATE_GRADIENT_ACCUMULATION_STEPS"},
    {"--num-cpu-threads-per-process", true, Use::kVariable, "OMP_NUM_THREADS"},
    {"--debug", false, Use::kVariable, "ACCELERATE_DEBUG_MODE"},
    {"--enable-cpu-affinity", false, Use::kVariable, "ACCELERATE_CPU_AFFINITY"},
    {"--dynamo-backend", true, Use::kVariable, "ACCELERATE_DYNAMO_BACKEND"},
    {"--dynamo-mode", true, Use::kVariable, "ACCELERATE_DYNAMO_MODE"},
    {"--dynamo-use-fullgraph", false, Use::kVariable, "ACCELERATE_DYNAMO_USE_FULLGRAPH"},
    {"--dynamo-use-dynamic", false, Use::kVariable, "ACCELERATE_DYNAMO_USE_DYNAMIC"},
    {"--multi-gpu", false, Use::kOurs, "the number of ranks says it"},
    {"--main-process-ip", true, Use::kOurs, kMeeting},
    {"--rdzv-backend", true, Use::kOurs, kMeeting},
    {"--rdzv-conf", true, Use::kOurs, kMeeting},
    {"--same-network", false, Use::kOurs, kMeeting},
    {"--main-process-port", true, Use::kOurs, kPort},
    {"--tee", true, Use::kOurs, kOutput},
    {"-t", true, Use::kOurs, kOutput},
    {"--log-dir", true, Use::kOurs, kOutput},
    {"--quiet", false, Use::kLeftOut},
    {"-q", false, Use::kLeftOut},
    {"--role", true, Use::kLeftOut},
    {"--monitor-interval", true, Use::kLeftOut},
    {"--main-training-function", true, Use::kLeftOut},
    {"--config-file", true, Use::kFile},
    {"--use-fsdp", false, Use::kRefused, kSharded},
    {"--use-deepspeed", false, Use::kRefused, kSharded},
    {"--use-megatron-lm", false, Use::kRefused, kSharded},
    {"--use-parallelism-config", false, Use::kRefused, kSharded},
    {"--tpu", false, Use::kRefused, "there is no support of TPUs"},
});

// DeepSpeed's options: its launcher/runner.py, 0.18.
constexpr auto kDeepspeed = std::to_array<LauncherOption>({
    {"--num-gpus", true, Use::kRanks},
    {"--num-accelerators", true, Use::kRanks},
    {"--num-nodes", true, Use::kNodes},
    {"--node-rank", true, Use::kNode},
    {"--include", true, Use::kIncluded},
    {"-i", true, Use::kIncluded},
    {"--exclude", true, Use::kRefused, "name the GPUs to use with --include localhost:0,1"},
    {"-e", true, Use::kRefused, "name the GPUs to use with --include localhost:0,1"},
    {"--hostfile", true, Use::kRefused, "Ringside starts ranks on this machine only; leave it out"},
    {"-H", true, Use::kRefused, "Ringside starts ranks on this machine only; leave it out"},
    {"--force-multi", false, Use::kRefused,
     "Ringside starts ranks on this machine only; leave it out"},
    {"--autotuning", true, Use::kRefused, "it starts many trainings; call deepspeed itself for it"},
    {"--module", false, Use::kModule},
    {"--no-python", false, Use::kNoPython},
    {"--no-local-rank", false, Use::kNoLocalRank},
    {"--master-addr", true, Use::kOurs, kMeeting},
    {"--master-port", true, Use::kOurs, kPort},
    {"--enable-each-rank-log", true, Use::kOurs, kOutput},
    {"--launcher", true, Use::kLeftOut},
    {"--launcher-args", true, Use::kLeftOut},
    {"--no-ssh", false, Use::kLeftOut},
    {"--no-ssh-check", false, Use::kLeftOut},
    {"--ssh-port", true, Use::kLeftOut},
    {"--save-pid", false, Use::kLeftOut},
    {"--elastic-training", false, Use::kRefused, "the number of ranks is fixed; leave it out"},
    {"--bind-cores-to-rank", false, Use::kLeftOut},
    {"--bind-core-list", true, Use::kLeftOut},
    {"--venv-script", true, Use::kLeftOut},
    {"--log-level", true, Use::kLeftOut},
    {"--quiet", false, Use::kLeftOut},
});

// Composer's options: its cli/launcher.py, 0.32.
constexpr auto kComposer = std::to_array<LauncherOption>({
    {"--nproc", true, Use::kRanks},
    {"-n", true, Use::kRanks},
    {"--world-size", true, Use::kRefused, "leave it out: -n counts the ranks of this machine"},
    {"--base-rank", true, Use::kNode},
    {"--node-rank", true, Use::kNode},
    {"--module-mode", false, Use::kModule},
    {"-m", false, Use::kModule},
    {"--command-mode", false, Use::kNoPython},
    {"-c", false, Use::kNoPython},
    {"--master-addr", true, Use::kOurs, kMeeting},
    {"--master-port", true, Use::kOurs, kPort},
    {"--stdout", true, Use::kOurs, kOutput},
    {"--stderr", true, Use::kOurs, kOutput},
    {"--verbose", false, Use::kLeftOut},
    {"-v", false, Use::kLeftOut},
});

// Fabric's options: fabric/cli.py of Lightning 2.6.
constexpr auto kFabric = std::to_array<LauncherOption>({
    {"--devices", true, Use::kRanks},
    {"--accelerator", true, Use::kAccelerator, "LT_ACCELERATOR"},
    {"--strategy", true, Use::kVariable, "LT_STRATEGY"},
    {"--precision", true, Use::kVariable, "LT_PRECISION"},
    {"--num-nodes", true, Use::kNodes},
    {"--node-rank", true, Use::kNode},
    {"--main-address", true, Use::kOurs, kMeeting},
    {"--main-port", true, Use::kOurs, kPort},
});

/// "--nproc_per_node" -> "--nproc-per-node".
std::string with_dashes(std::string text) {
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

/// The option with that name, or the only one that begins with it.
const LauncherOption* find(std::span<const LauncherOption> known, const std::string& name) {
  const LauncherOption* found = nullptr;
  for (const LauncherOption& one : known) {
    if (one.name == name) return &one;
    if (!name.starts_with("--") || name == "--" || !one.name.starts_with(name)) continue;
    if (found != nullptr) return nullptr;
    found = &one;
  }
  return found;
}

std::vector<std::string> names_of(std::span<const LauncherOption> known) {
  std::vector<std::string> names;
  for (const LauncherOption& one : known) names.emplace_back(one.name);
  return names;
}

}  // namespace

const LauncherOption* find_option(std::span<const LauncherOption> known, const std::string& name) {
  return find(known, with_dashes(name));
}

std::span<const LauncherOption> torchrun_options() { return kTorchrun; }
std::span<const LauncherOption> accelerate_options() { return kAccelerate; }
std::span<const LauncherOption> deepspeed_options() { return kDeepspeed; }
std::span<const LauncherOption> composer_options() { return kComposer; }
std::span<const LauncherOption> fabric_options() { return kFabric; }

Result<LauncherLine> read_options(const std::vector<std::string>& words, std::size_t begin,
                                  std::span<const LauncherOption> known,
                                  const std::string& launcher) {
  LauncherLine line;
  std::size_t at = begin;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    const std::string& word = words[at];
    if (word == "--") {  // as in argparse: what follows is not an option
      ++at;
      break;
    }
    // "-m=x" is not valid syntax, but "-r3" is.
    const bool is_long = word.starts_with("--");
    const std::size_t equals = is_long ? word.find('=') : word.npos;
    const std::string typed = is_long ? word.substr(0, equals) : word.substr(0, 2);
    const LauncherOption* option = find(known, with_dashes(typed));
    if (option == nullptr) {
      const std::string near = nearest_name(with_dashes(typed), names_of(known));
      return bad_request(launcher + " " + printable_line(typed) +
                         " is not understood here: leave it out" +
                         (near.empty() ? "" : ", or did you mean " + near + "?"));
    }
    GivenOption given{option, typed, {}};
    const bool attached = is_long ? equals != word.npos : word.size() > 2;
    if (attached && !option->value)
      return bad_request(launcher + " " + printable_line(typed) + " takes no value");
    if (attached) given.value = word.substr(is_long ? equals + 1 : 2);
    if (!attached && option->value) {
      if (at + 1 >= words.size())
        return bad_request(launcher + " " + printable_line(typed) + " needs a value");
      given.value = words[++at];
    }
    line.given.push_back(std::move(given));
  }
  if (at >= words.size())
    return bad_request(launcher + " names no program: write the script behind its options");
  line.program = at;
  return line;
}

}  // namespace ringside::launch
