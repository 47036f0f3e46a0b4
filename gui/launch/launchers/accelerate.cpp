#include "gui/launch/launchers/accelerate.h"

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <system_error>

#include "gui/launch/paths.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"
#include "protocol/host/files.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::int64_t kAskNs = 120'000'000'000;
constexpr int kNotTaken = 3;
constexpr std::size_t kMostConfigBytes = std::size_t{1} << 16;

// Runs the same code as `accelerate launch` up to the start of the ranks. Private functions may be
// missing in other versions; then Accelerate is not asked.
constexpr const char* kHelper = R"py(
import json, os, sys
if sys.argv[1]:
    os.chdir(sys.argv[1])
from accelerate.commands import launch as own
from accelerate.utils import launch as made
parser = own.launch_command_parser()
validate, multi, simple = (own._validate_launch_command, made.prepare_multi_gpu_env,
                           made.prepare_simple_launcher_cmd_env)
before = dict(os.environ)
def refuse(text):
    sys.stderr.write("\n" + str(text))
    sys.exit(3)
try:
    args = parser.parse_args(sys.argv[2:])
except SystemExit as end:
    sys.exit(3 if end.code else 4)
try:
    args, defaults, precision = validate(args)
except (ValueError, FileNotFoundError) as why:
    refuse(why)
refused = ""
if type(defaults).__name__ == "SageMakerConfig":
    refused = "SageMaker"
elif not args.cpu:
    for name, text in (("use_megatron_lm", "Megatron-LM"), ("tpu", "TPUs")):
        if getattr(args, name, False):
            refused = text
if getattr(args, "mpirun_hostfile", None):
    refused = "mpirun"
if (args.num_machines or 1) > 1:
    refused = "several machines"
after = before
args.num_machines = args.num_machines or 1
cpu = bool(args.cpu or getattr(args, "use_cpu", False))
if not refused:
    try:
        if args.use_deepspeed and not args.cpu:
            fields = list(defaults.deepspeed_config) if defaults else []
            args.deepspeed_fields_from_accelerate_config = ",".join(
                fields + ["mixed_precision"] * bool(precision))
            args.main_process_port = 0
            after = made.prepare_deepspeed_cmd_env(args)[1]
        elif (args.multi_gpu or args.use_fsdp) and not args.cpu:
            args.main_process_port = 0
            after = multi(args)
        else:
            after = simple(args)[1]
    except ValueError as why:
        refuse(why)
ours = ("MASTER_ADDR", "MASTER_PORT", "CUDA_VISIBLE_DEVICES", "RANK", "LOCAL_RANK", "WORLD_SIZE")
sys.stdout.write("\n" + json.dumps({
    "ranks": max(int(args.num_processes or 1), 1), "cpu": cpu,
    "gpus": "" if cpu or args.gpu_ids in (None, "all") else str(args.gpu_ids),
    "environment": [k + "=" + str(v) for k, v in after.items()
                    if before.get(k) != v and k not in ours],
    "restarts": int(getattr(args, "max_restarts", 0) or 0),
    "module": bool(args.module), "no_python": bool(args.no_python),
    "program": [args.training_script] + list(args.training_script_args), "refused": refused}))
)py";

Result<AccelerateAnswer> parse_answer(const std::string& output) {
  const auto json =
      nlohmann::json::parse(output.substr(output.rfind('\n') + 1), nullptr, /*exceptions=*/false);
  if (!json.is_object()) return failure("it did not answer");
  AccelerateAnswer answer;
  try {
    answer.ranks = json.at("ranks").get<std::int64_t>();
    answer.environment = json.at("environment").get<Words>();
    answer.restarts = json.at("restarts").get<std::int64_t>();
    answer.module = json.at("module").get<bool>();
    answer.no_python = json.at("no_python").get<bool>();
    answer.program = json.at("program").get<Words>();
    answer.refused = json.at("refused").get<std::string>();
    if (json.at("cpu").get<bool>()) answer.devices = {"cpu"};
    std::istringstream gpus(json.at("gpus").get<std::string>());
    for (std::string one; std::getline(gpus, one, ',');) answer.devices.push_back(one);
  } catch (const nlohmann::json::exception&) {
    return failure("its answer is not understood");
  }
  return answer;
}

std::string variable_of(const Words& environment, const std::string& name) {
  for (const std::string& entry : environment)
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  const char* own = std::getenv(name.c_str());
  return own == nullptr ? "" : own;
}

/// The text without comment, surrounding blanks and quotes.
std::string plain(std::string text) {
  if (const std::size_t comment = text.find(" #"); comment != text.npos) text.resize(comment);
  const std::size_t begin = text.find_first_not_of(" \t'\"");
  const std::size_t end = text.find_last_not_of(" \t\r'\"");
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

bool is_nothing(const std::string& value) {
  return value.empty() || value == "false" || value == "null" || value == "{}" || value == "[]" ||
         value == "no" || value == "NO" || value == "~";
}

bool is_true(const std::string& value) { return value == "true" || value == "True"; }

struct ConfigKey {
  std::string_view name;
  std::string_view option;  ///< empty: makes no difference to us
  bool flag = false;
};

constexpr auto kConfigKeys = std::to_array<ConfigKey>({
    {"num_processes", "--num-processes"},
    {"num_machines", "--num-machines"},
    {"machine_rank", "--machine-rank"},
    {"gpu_ids", "--gpu-ids"},
    {"mixed_precision", "--mixed-precision"},
    {"use_cpu", "--cpu", true},
    {"debug", "--debug", true},
    {"enable_cpu_affinity", "--enable-cpu-affinity", true},
    {"dynamo_backend", "--dynamo-backend"},
    {"main_process_ip", "--main-process-ip"},
    {"main_process_port", "--main-process-port"},
    {"rdzv_backend", {}},
    {"same_network", {}, true},
    {"main_training_function", {}},
    {"downcast_bf16", {}},
    {"tpu_use_sudo", {}, true},
});

}  // namespace

Result<AccelerateAnswer> ask_accelerate(const AccelerateQuestion& question,
                                        const Cancelled& cancelled) {
  Words argv = question.python;
  if (argv.empty()) return failure("its Python is not known");
  const auto program = RINGSIDE_TRY(find_on_path(argv.front()));
  argv.front() = program;
  argv.insert(argv.end(), {"-c", kHelper, question.cwd});
  argv.insert(argv.end(), question.arguments.begin(), question.arguments.end());
  const auto said = RINGSIDE_TRY(capture(argv, kAskNs, cancelled, question.environment));
  if (said.exit_code == kNotTaken)
    return bad_request("accelerate: " + printable_line(last_line(said.errors)));
  if (said.exit_code != 0) return failure(printable_line(last_line(said.errors)));
  return parse_answer(said.output);
}

std::optional<fs::path> default_accelerate_file(const Words& environment) {
  const std::string hub = variable_of(environment, "HF_HOME");
  const std::string cache = variable_of(environment, "XDG_CACHE_HOME");
  const fs::path home = variable_of(environment, "HOME");
  const fs::path root = !hub.empty()     ? fs::path(hub)
                        : !cache.empty() ? fs::path(cache) / "huggingface"
                                         : home / ".cache/huggingface";
  std::error_code ignored;
  const fs::path file = root / "accelerate/default_config.yaml";
  return fs::is_regular_file(file, ignored) ? std::optional(file) : std::nullopt;
}

Result<std::vector<std::pair<std::string, std::string>>> accelerate_file_options(
    const fs::path& file) {
  const auto text = read_text(file, kMostConfigBytes);
  if (!text) return bad_request(file.string() + " cannot be read");
  const auto refused = [&](const std::string& what) {
    return bad_request(file.string() + " sets " + printable_line(what) +
                       ", which only Accelerate itself understands: set it up in the script, and "
                       "start that with --ranks N");
  };
  std::vector<std::pair<std::string, std::string>> options;
  std::string block;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (plain(line).empty() || line.starts_with('#') || line.starts_with("---")) continue;
    if (line.starts_with(' ') || line.starts_with('-')) return refused(block);
    const std::size_t colon = line.find(':');
    const std::string name = plain(line.substr(0, colon));
    const std::string value = colon == line.npos ? "" : plain(line.substr(colon + 1));
    block = name;
    if (colon == line.npos) return refused(name);
    if (name == "compute_environment" && value == "LOCAL_MACHINE") continue;
    if (name == "distributed_type" &&
        (is_nothing(value) || value == "MULTI_GPU" || value == "MULTI_CPU"))
      continue;
    const ConfigKey* key = nullptr;
    for (const ConfigKey& one : kConfigKeys)
      if (one.name == name) key = &one;
    if (name == "mixed_precision" && value == "no") options.emplace_back("--mixed-precision", "no");
    if (is_nothing(value)) continue;
    if (key == nullptr) return refused(name + ": " + value);
    if (key->option.empty() || (key->flag && !is_true(value))) continue;
    options.emplace_back(key->option, key->flag ? "" : value);
  }
  return options;
}

}  // namespace ringside::launch
