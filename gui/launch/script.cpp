#include "gui/launch/script.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

#include "gui/launch/launcher_options.h"
#include "gui/launch/paths.h"
#include "protocol/base/printable.h"

namespace ringside::launch {
namespace {

using Words = std::vector<std::string>;

std::string base_name(const std::string& word) {
  return std::filesystem::path(word).filename().string();
}

bool is_python(const std::string& word) {
  const std::string name = base_name(word);
  return name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == name.npos;
}

bool is_python_file(const std::string& word) { return word.ends_with(".py"); }

/// Index of what stands behind the options of Python itself.
std::size_t behind_options(const Words& words, std::size_t python) {
  std::size_t at = python + 1;
  while (at < words.size() && words[at].size() > 1 && words[at].starts_with('-') &&
         words[at] != "-m" && words[at] != "-c") {
    at += words[at] == "-W" || words[at] == "-X" ? std::size_t{2} : std::size_t{1};
  }
  return at;
}

enum class Launcher : std::uint8_t { kTorchrun, kTorchLaunch, kAccelerate };

/// A launcher among the words of a command.
struct Found {
  Launcher launcher = Launcher::kTorchrun;
  std::string name;         ///< as people say it: "torchrun"
  std::size_t begin = 0;    ///< index of its first word
  std::size_t options = 0;  ///< index of the word behind it
  Words python;             ///< with its options, where the command says it
};

std::optional<Found> launcher_at(const Words& words, std::size_t at) {
  const std::string name = base_name(words[at]);
  if (name == "torchrun") return Found{Launcher::kTorchrun, name, at, at + 1, {}};
  if (name == "accelerate-launch") return Found{Launcher::kAccelerate, name, at, at + 1, {}};
  if (name == "accelerate" && at + 1 < words.size() && words[at + 1] == "launch")
    return Found{Launcher::kAccelerate, "accelerate launch", at, at + 2, {}};
  if (!is_python(words[at])) return std::nullopt;
  const std::size_t module = behind_options(words, at);
  if (module + 1 >= words.size() || words[module] != "-m") return std::nullopt;
  const std::string& named = words[module + 1];
  Found found{Launcher::kTorchrun, named, at, module + 2, {}};
  found.python.assign(words.begin() + static_cast<std::ptrdiff_t>(at),
                      words.begin() + static_cast<std::ptrdiff_t>(module));
  if (named == "torch.distributed.run") return found;
  found.launcher = Launcher::kTorchLaunch;
  if (named == "torch.distributed.launch") return found;
  found.launcher = Launcher::kAccelerate;
  if (named == "accelerate.commands.launch") return found;
  return std::nullopt;
}

/// Also behind another program, such as `uv run`; not among the arguments of a script.
std::optional<Found> find_launcher(const Words& words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (auto found = launcher_at(words, at)) return found;
    const bool argument = is_python_file(words[at]) || words[at] == "-c" || words[at] == "-m";
    if (argument || (at == 0 && is_python(words[at]))) return std::nullopt;
  }
  return std::nullopt;
}

/// The Python of an installed launcher stands in its first line.
std::string python_of(const std::string& launcher) {
  const auto file = find_on_path(launcher);
  std::string line;
  if (file) {
    std::ifstream lines(*file);
    std::getline(lines, line);
  }
  if (!line.starts_with("#!")) return "python3";
  const std::size_t begin = line.find_first_not_of(' ', 2);
  const std::string program = line.substr(std::min(begin, line.size()));
  return is_python(program) ? program : "python3";
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

/// "1", "1:1"; what torchrun writes "1:2" may become two.
bool one_node(const std::string& text) { return text == "1" || text == "1:1"; }

/// Reads the options of one launcher into the command that is left of it.
class Reader {
 public:
  Reader(const Found& found, ScriptCommand& command) : found_(found), command_(command) {}

  Result<void> read(const GivenOption& one);
  /// What each rank runs, for `words` from the program on.
  Result<Words> program(const Words& words) const;
  /// Once for all options that Ringside carries out itself in the same way.
  void note_ours();

 private:
  tl::unexpected<Error> wrong(const GivenOption& one, const std::string& why) const {
    return bad_request(found_.name + " " + one.typed +
                       (one.value.empty() ? "" : " " + printable_line(one.value)) + ": " + why);
  }
  Result<void> count(const GivenOption& one);
  void set(const std::string& name, const std::string& value) {
    command_.environment.push_back(name + "=" + value);
  }
  void set_variable(const GivenOption& one);

  const Found& found_;
  ScriptCommand& command_;
  bool module_ = false;
  bool no_python_ = false;
  bool use_env_ = false;
  std::vector<std::pair<std::string, std::string>> ours_;  // reason, options
};

Result<void> Reader::count(const GivenOption& one) {
  const auto ranks = number(one.value);
  command_.counted.clear();
  command_.ranks.reset();
  if (ranks && *ranks >= 1) {
    command_.ranks = ranks;
    return {};
  }
  const bool word = one.value == "gpu" || one.value == "cpu" || one.value == "auto";
  if (!word || found_.launcher == Launcher::kAccelerate)
    return wrong(one, "write a number of ranks from 1");
  command_.counted = one.value;
  return {};
}

void Reader::set_variable(const GivenOption& one) {
  std::string value = one.option->value ? one.value : "true";
  // As accelerate writes them.
  if (one.option->text == "ACCELERATE_DYNAMO_BACKEND") {
    for (char& c : value) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
  }
  if (one.option->text == "ACCELERATE_CPU_AFFINITY") value = "1";
  set(std::string(one.option->text), value);
}

Result<void> Reader::read(const GivenOption& one) {
  switch (one.option->use) {
    case OptionUse::kRanks:
      return count(one);
    case OptionUse::kNodes:
      if (!one_node(one.value))
        return wrong(one, "Ringside starts ranks on this machine only; use 1");
      return {};
    case OptionUse::kNode:
      if (one.value != "0") return wrong(one, "there is one node here, number 0");
      return {};
    case OptionUse::kRestarts: {
      const auto restarts = number(one.value);
      if (!restarts || *restarts < 0 || *restarts > 1000)
        return wrong(one, "write a number of restarts from 0 to 1000");
      command_.restarts = restarts;
      return {};
    }
    case OptionUse::kModule:
      module_ = true;
      return {};
    case OptionUse::kNoPython:
      no_python_ = true;
      return {};
    case OptionUse::kUseEnv:
      use_env_ = true;
      return {};
    case OptionUse::kPrecision:
      set("ACCELERATE_MIXED_PRECISION", one.value);
      return {};
    case OptionUse::kVariable:
      set_variable(one);
      return {};
    case OptionUse::kCpu:
      command_.devices = {"cpu"};
      set("ACCELERATE_USE_CPU", "true");
      return {};
    case OptionUse::kDevices:
      if (one.value == "all") return {};
      for (std::size_t begin = 0; begin <= one.value.size();) {
        const std::size_t end = std::min(one.value.find(',', begin), one.value.size());
        command_.devices.push_back(one.value.substr(begin, end - begin));
        begin = end + 1;
      }
      return {};
    case OptionUse::kOurs: {
      const std::string reason(one.option->text);
      const auto same = std::find_if(ours_.begin(), ours_.end(),
                                     [&](const auto& other) { return other.first == reason; });
      if (same == ours_.end()) {
        ours_.emplace_back(reason, one.typed);
      } else {
        same->second += ", " + one.typed;
      }
      return {};
    }
    case OptionUse::kLeftOut:
      command_.notes.push_back(found_.name + " " + one.typed + " was left out");
      return {};
    case OptionUse::kRefused:
      return wrong(one, std::string(one.option->text));
  }
  return {};
}

void Reader::note_ours() {
  for (const auto& [reason, options] : ours_)
    command_.notes.push_back(found_.name + " " + options + " was left out: " + reason);
}

Result<Words> Reader::program(const Words& words) const {
  if (found_.launcher == Launcher::kTorchLaunch && !use_env_) {
    return bad_request(
        "torch.distributed.launch gives each rank another --local-rank: add --use-env where the "
        "script reads LOCAL_RANK from the environment");
  }
  if (module_ && no_python_)
    return bad_request(found_.name + " takes --module or --no-python, not both");
  if (no_python_) return words;
  Words argv = found_.python;
  if (argv.empty() && found_.begin > 0) argv = {"python"};  // that which the program before it sets
  if (argv.empty()) argv = {python_of(command_.argv.front())};
  argv.emplace_back("-u");
  if (module_) argv.emplace_back("-m");
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

/// `train.py` alone, or one that may not be executed.
bool needs_python(const std::string& program) {
  if (!is_python_file(program)) return false;
  return program.find('/') == program.npos || ::access(program.c_str(), X_OK) != 0;
}

Result<void> check_starter(const std::string& program) {
  static const std::array<std::string, 4> kOthers = {"deepspeed", "horovodrun", "mpirun",
                                                     "mpiexec"};
  const std::string name = base_name(program);
  if (std::find(kOthers.begin(), kOthers.end(), name) == kOthers.end()) return {};
  return bad_request(name +
                     " starts ranks of its own, which Ringside does, too; write the script "
                     "alone: ringside run --ranks N -- python train.py");
}

Result<void> check_environment(const Words& environment) {
  static const std::set<std::string> kOfAgent = {
      "RANK",       "LOCAL_RANK",  "WORLD_SIZE",  "LOCAL_WORLD_SIZE",
      "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT", "CUDA_VISIBLE_DEVICES"};
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (equals == 0) return bad_request("--env: no name stands before the =; write NAME=value");
    if (equals == entry.npos)
      return bad_request("--env \"" + printable_line(name) + "\": write NAME=value");
    if (kOfAgent.contains(name)) {
      return bad_request("--env " + name + ": Ringside sets it for each rank" +
                         (name == "CUDA_VISIBLE_DEVICES" ? "; use --devices" : ""));
    }
  }
  return {};
}

/// How many ranks the launcher's word comes to here.
Result<std::int64_t> counted_ranks(const std::string& word, const ScriptRequest& request) {
  const std::int64_t gpus = request.gpus.value_or(0);
  if (word != "cpu" && gpus > 0) return gpus;
  if (word == "any") return 1;
  if (word != "gpu" && request.cores) return *request.cores;
  if (word == "gpu" && request.gpus)
    return bad_request("the command wants one rank for each GPU, and there is none; use --ranks N");
  return bad_request("how many ranks? The command says \"" + word + "\"; use --ranks N");
}

Result<void> set_devices(const Words& devices, bool counted, messages::RunSpec& spec) {
  if (devices.empty()) return {};
  if (devices.size() == 1 && devices.front() == "cpu") {
    spec.devices.kind = "cpu";
    return {};
  }
  const auto ranks = static_cast<std::size_t>(spec.devices.world_size);
  const std::string there =
      std::to_string(devices.size()) + (devices.size() == 1 ? " device is" : " devices are");
  if (counted && ranks > devices.size()) {
    return bad_request(std::to_string(ranks) + " ranks need as many devices, and " + there +
                       " named: " + "add some or lower --ranks");
  }
  for (const std::string& device : devices) {
    // "cuda", say, names none.
    if (device.find_first_of("0123456789") == device.npos && !device.starts_with("GPU-"))
      return bad_request("--devices: write numbers or UUIDs of GPUs, or cpu alone");
    if (std::count(devices.begin(), devices.end(), device) > 1)
      return bad_request("--devices names " + printable_line(device) + " twice");
  }
  spec.devices.kind = "cuda";
  spec.devices.ids = devices;
  if (counted) {
    spec.devices.ids.resize(ranks);
  } else {
    spec.devices.world_size = static_cast<std::int64_t>(devices.size());
  }
  return {};
}

void set_baseline(const std::string& baseline, messages::RunSpec& spec) {
  const bool mode =
      baseline.empty() || baseline == "run" || baseline == "reuse" || baseline == "none";
  spec.baseline.mode = baseline.empty() ? "none" : mode ? baseline : "reuse";
  if (!mode) spec.baseline.run = baseline;
}

/// What the person says goes before what the launcher would set.
Words merged(const Words& launcher, const Words& asked) {
  Words all = asked;
  for (const std::string& entry : launcher) {
    const std::string name = entry.substr(0, entry.find('=') + 1);
    const bool there = std::any_of(asked.begin(), asked.end(),
                                   [&](const auto& other) { return other.starts_with(name); });
    if (!there) all.push_back(entry);
  }
  return all;
}

}  // namespace

Result<ScriptCommand> understand(const Words& command) {
  if (command.empty() || command.front().empty())
    return bad_request("no command: write it behind --, such as -- python train.py");
  ScriptCommand result;
  result.argv = command;
  const auto found = find_launcher(command);
  if (!found) {
    if (const auto fine = check_starter(command.front()); !fine) return pass(fine);
    if (needs_python(command.front())) result.argv.insert(result.argv.begin(), {"python3", "-u"});
    return result;
  }
  const bool accelerate = found->launcher == Launcher::kAccelerate;
  const auto line = read_options(
      command, found->options, accelerate ? accelerate_options() : torchrun_options(), found->name);
  if (!line) return pass(line);
  if (accelerate) {
    result.counted = "any";
  } else {
    result.ranks = 1;
  }
  result.argv.erase(result.argv.begin(),
                    result.argv.begin() + static_cast<std::ptrdiff_t>(found->begin));
  Reader reader(*found, result);
  for (const GivenOption& one : line->given) {
    if (const auto read = reader.read(one); !read) return pass(read);
  }
  reader.note_ours();
  if (accelerate && !result.ranks) {
    result.notes.push_back(
        "accelerate's configuration file is not read: what it says must stand in the command");
  }
  const auto program = reader.program(
      Words(command.begin() + static_cast<std::ptrdiff_t>(line->program), command.end()));
  if (!program) return pass(program);
  // What stands before the launcher, such as `uv run`, stays.
  result.argv.assign(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(found->begin));
  result.argv.insert(result.argv.end(), program->begin(), program->end());
  return result;
}

Result<messages::RunSpec> script_spec(const ScriptRequest& request, Words& notes) {
  auto command = understand(request.command);
  if (!command) return pass(command);
  if (const auto fine = check_environment(request.environment); !fine) return pass(fine);
  messages::RunSpec spec;
  spec.program.argv = std::move(command->argv);
  spec.program.cwd = request.cwd;
  spec.program.environment = merged(command->environment, request.environment);
  spec.program.instrument = request.instrument;
  spec.name = request.name.empty() ? messages::program_name(spec.program.argv) : request.name;
  const Words& devices = request.devices.empty() ? command->devices : request.devices;
  auto ranks = request.ranks ? request.ranks : command->ranks;
  if (!ranks && !command->counted.empty() && devices.empty()) {
    const auto counted = counted_ranks(command->counted, request);
    if (!counted) return pass(counted);
    ranks = *counted;
  }
  if (ranks && (*ranks < 1 || *ranks > 4096))
    return bad_request(std::to_string(*ranks) + " ranks: write a number from 1 to 4096");
  spec.devices.world_size = ranks.value_or(1);
  if (command->counted == "cpu" && !request.ranks) spec.devices.kind = "cpu";
  if (const auto set = set_devices(devices, ranks.has_value(), spec); !set) return pass(set);
  spec.limits.restarts = request.restarts.value_or(command->restarts.value_or(0));
  set_baseline(request.baseline, spec);
  notes.insert(notes.end(), command->notes.begin(), command->notes.end());
  if (request.ranks && command->ranks && *request.ranks != *command->ranks) {
    notes.push_back("the command says " + std::to_string(*command->ranks) +
                    " ranks, --ranks goes before it");
  }
  return spec;
}

}  // namespace ringside::launch
