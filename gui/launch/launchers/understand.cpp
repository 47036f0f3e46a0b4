#include <unistd.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "gui/launch/launchers/launcher_options.h"
#include "gui/launch/launchers/launchers.h"
#include "gui/launch/launchers/script.h"
#include "protocol/base/printable.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Accepts "1" and "1:1"; with torchrun's "1:2" there may be two nodes.
bool one_node(const std::string& text) { return text == "1" || text == "1:1"; }

/// Translates the options of one launcher into the command without it.
class Reader {
 public:
  Reader(const Found& found, ScriptCommand& command) : found_(found), command_(command) {}

  Result<void> read(const GivenOption& one);
  /// What each rank runs; `words` begin with the program.
  Result<Words> program(const Words& words) const;
  /// Adds one note for all options that Ringside handles itself in the same way.
  void note_ours();

 private:
  tl::unexpected<Error> wrong(const GivenOption& one, const std::string& why) const {
    return bad_request(found_.name + " " + one.typed +
                       (one.value.empty() ? "" : " " + printable_line(one.value)) + ": " + why);
  }
  Result<void> count(const GivenOption& one);
  Result<void> include(const GivenOption& one);
  Result<void> accelerator(const GivenOption& one);
  void set(const std::string& name, const std::string& value) {
    std::erase_if(command_.environment,
                  [&](const auto& entry) { return entry.starts_with(name + "="); });
    command_.environment.push_back(name + "=" + value);
  }
  void set_variable(const GivenOption& one);

  const Found& found_;
  ScriptCommand& command_;
  bool module_ = false;
  bool no_python_ = false;
  bool no_local_rank_ = false;
  std::vector<std::pair<std::string, std::string>> ours_;  // reason, options
};

Result<void> Reader::count(const GivenOption& one) {
  const auto ranks = whole_number(one.value);
  command_.counted.clear();
  command_.ranks.reset();
  if (ranks && *ranks >= 1) {
    command_.ranks = ranks;
    if (found_.launcher == Launcher::kFabric) set("LT_DEVICES", one.value);
    return {};
  }
  const bool word = one.value == "gpu" || one.value == "cpu" || one.value == "auto";
  if (!word || found_.launcher != Launcher::kTorchrun)
    return wrong(one, "write a number of ranks from 1");
  command_.counted = one.value;
  return {};
}

void Reader::set_variable(const GivenOption& one) {
  std::string value = one.option->value ? one.value : "true";
  // The value is written as accelerate writes it.
  if (one.option->text == "ACCELERATE_DYNAMO_BACKEND") {
    for (char& c : value) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
  }
  if (one.option->text == "ACCELERATE_CPU_AFFINITY") value = "1";
  set(std::string(one.option->text), value);
}

void split_devices(const std::string& list, Words& devices) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) devices.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

Result<void> Reader::include(const GivenOption& one) {
  constexpr std::string_view kHere = "localhost";
  if (!one.value.starts_with(kHere) || one.value.find('@') != one.value.npos)
    return wrong(one, "Ringside starts ranks on this machine only; use localhost");
  if (one.value.size() > kHere.size() + 1)
    split_devices(one.value.substr(kHere.size() + 1), command_.devices);
  return {};
}

Result<void> Reader::accelerator(const GivenOption& one) {
  if (one.value == "cpu") {
    command_.devices = {"cpu"};
  } else if (one.value != "gpu" && one.value != "cuda" && one.value != "auto") {
    return wrong(one, "ranks run on GPUs of NVIDIA or on the CPU here; use cuda or cpu");
  }
  set_variable(one);
  return {};
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
      const auto restarts = whole_number(one.value);
      if (!restarts || *restarts < 0 || *restarts > 1000)
        return wrong(one, "write a number of restarts from 0 to 1000");
      command_.restarts = restarts;
      return {};
    }
    case OptionUse::kModule:
      module_ = true;
      return {};
    case OptionUse::kFile:
      return {};
    case OptionUse::kNoPython:
      no_python_ = true;
      return {};
    case OptionUse::kUseEnv:
    case OptionUse::kNoLocalRank:
      no_local_rank_ = true;
      return {};
    case OptionUse::kIncluded:
      return include(one);
    case OptionUse::kAccelerator:
      return accelerator(one);
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
      if (one.value != "all") split_devices(one.value, command_.devices);
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

/// The option that the launcher passes as first argument to the rank; empty: none.
std::string local_rank_option(Launcher launcher) {
  if (launcher == Launcher::kTorchLaunch) return "--local-rank=";
  return launcher == Launcher::kDeepspeed ? "--local_rank=" : "";
}

/// The command of each rank, from the program on.
Result<Words> with_python(const Found& found, bool module, bool no_python, const Words& words) {
  if (module && no_python)
    return bad_request(found.name + " takes --module or --no-python, not both");
  if (no_python) return words;
  Words argv = found.python;
  argv.emplace_back("-u");
  if (module) argv.emplace_back("-m");
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

Result<Words> Reader::program(const Words& words) const {
  const auto argv = with_python(found_, module_, no_python_, words);
  const std::string option = local_rank_option(found_.launcher);
  if (!argv || option.empty() || no_local_rank_) return argv;
  // The local rank differs between ranks, so a shell takes it from the environment of each.
  const auto arguments = static_cast<std::ptrdiff_t>(words.size() - 1);
  const std::string line = "exec " + shell_words(Words(argv->begin(), argv->end() - arguments)) +
                           " " + option + "\"$LOCAL_RANK\" \"$@\"";
  Words wrapped = {"sh", "-c", line, words.front()};
  wrapped.insert(wrapped.end(), words.begin() + 1, words.end());
  return wrapped;
}

/// Whether the program needs an interpreter: `train.py`, or a file that is not executable.
bool needs_python(const std::string& program) {
  if (!is_python_file(program)) return false;
  return program.find('/') == program.npos || ::access(program.c_str(), X_OK) != 0;
}

/// Takes the variables in front of the program.
Result<void> take_variables(const Words& variables, ScriptCommand& command) {
  for (const std::string& entry : variables) {
    const std::string name = entry.substr(0, entry.find('='));
    const std::string value = entry.substr(name.size() + 1);
    if (name == kVisibleGpus && (value.empty() || value == "-1")) {
      command.devices = {"cpu"};
    } else if (name == kVisibleGpus) {
      command.devices.clear();
      split_devices(value, command.devices);
    } else if (name == "MASTER_ADDR" || name == "MASTER_PORT") {
      command.notes.push_back(name + " was left out: the agent brings the ranks together");
    } else if (is_of_agent(name)) {
      return bad_request(printable_line(entry) +
                         ": Ringside sets it for each rank; leave it out, and use --ranks");
    } else {
      command.environment.push_back(entry);
    }
  }
  return {};
}

Words joined(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Words slice(const Words& words, std::size_t begin, std::size_t end) {
  return {words.begin() + static_cast<std::ptrdiff_t>(begin),
          words.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::span<const LauncherOption> options_of(Launcher launcher) {
  switch (launcher) {
    case Launcher::kAccelerate:
      return accelerate_options();
    case Launcher::kDeepspeed:
      return deepspeed_options();
    case Launcher::kComposer:
      return composer_options();
    case Launcher::kFabric:
      return fabric_options();
    case Launcher::kTorchrun:
    case Launcher::kTorchLaunch:
      break;
  }
  return torchrun_options();
}

/// Moves Lightning's options, which may also follow the script, in front of it.
Words options_first(const Words& command, const Found& found) {
  Words line = slice(command, 0, found.options);
  Words rest;
  for (std::size_t at = found.options; at < command.size(); ++at) {
    const std::size_t equals = command[at].find('=');
    const bool option = command[at].starts_with("--") &&
                        find_option(fabric_options(), command[at].substr(0, equals)) != nullptr;
    if (option) line.push_back(command[at]);
    if (option && equals == std::string::npos && at + 1 < command.size())
      line.push_back(command[++at]);
    if (!option) rest.push_back(command[at]);
  }
  return joined(std::move(line), rest);
}

/// Applies what a launcher sets or counts by default.
void set_defaults(Launcher launcher, ScriptCommand& command) {
  const bool torch = launcher == Launcher::kTorchrun || launcher == Launcher::kTorchLaunch;
  if (torch || launcher == Launcher::kFabric) {
    command.ranks = 1;
  } else {
    command.counted = "any";
  }
  if (launcher == Launcher::kComposer) command.environment.emplace_back("NODE_RANK=0");
  if (launcher != Launcher::kFabric) return;
  for (const char* entry : {"LT_CLI_USED=1", "LT_NUM_NODES=1", "LT_DEVICES=1"})
    command.environment.emplace_back(entry);
}

/// The options from its configuration file; none if the file is missing.
Result<std::vector<GivenOption>> accelerate_file(const fs::path& file, const LauncherLine& line) {
  auto options = RINGSIDE_TRY(accelerate_file_options(file));
  std::vector<GivenOption> given;
  for (const auto& [name, value] : options) {
    const LauncherOption* option = find_option(accelerate_options(), name);
    const bool typed = std::any_of(line.given.begin(), line.given.end(),
                                   [&](const auto& one) { return one.option == option; });
    if (option != nullptr && !typed) given.push_back({option, name, value});
  }
  return given;
}

/// The configuration file that this accelerate command reads; empty: none.
fs::path accelerate_file_of(const Words& arguments, const Words& environment, const fs::path& cwd) {
  bool cpu = false;
  for (std::size_t at = 0; at < arguments.size() && !is_python_file(arguments[at]); ++at) {
    std::string name = arguments[at].substr(0, arguments[at].find('='));
    std::replace(name.begin(), name.end(), '-', '_');
    cpu = cpu || name == "__cpu";
    if (name != "__config_file") continue;
    if (const std::size_t equals = arguments[at].find('='); equals != std::string::npos)
      return cwd / arguments[at].substr(equals + 1);
    if (at + 1 < arguments.size()) return cwd / arguments[at + 1];
  }
  return cpu ? fs::path() : default_accelerate_file(environment).value_or(fs::path());
}

/// Applies the answer of the person's Accelerate; false: it could not be asked, and `unasked` has
/// the reason.
Result<bool> take_answer(const ScriptRequest& request, const Found& found, const Words& command,
                         const Words& environment, ScriptCommand& result, std::string& unasked) {
  AccelerateQuestion question;
  question.python = joined(slice(command, 0, found.begin), found.python);
  question.arguments = slice(command, found.options, command.size());
  question.environment = environment;
  question.cwd = request.cwd;
  const auto answer = request.ask(question);
  if (!answer && answer.error().kind == ErrorKind::kRequest) return pass(answer);
  if (!answer) {
    result.notes.push_back("Accelerate could not be asked (" + answer.error().message +
                           "): what its options and its file say was read here");
    unasked = "; Accelerate could not be asked: " + answer.error().message;
    return false;
  }
  if (!answer->refused.empty())
    return bad_request("this accelerate launch is for " + answer->refused +
                       ", which Ringside does not start: write the script alone, with --ranks N, "
                       "and set it up in the script");
  auto program =
      RINGSIDE_TRY(with_python(found, answer->module, answer->no_python, answer->program));
  result.ranks = answer->ranks;
  result.restarts = answer->restarts;
  if (!answer->devices.empty()) result.devices = answer->devices;
  result.environment.insert(result.environment.end(), answer->environment.begin(),
                            answer->environment.end());
  result.argv = joined(slice(command, 0, found.begin), program);
  return true;
}

/// Reads the options by our tables; `command` has the launcher's options in front.
Result<void> read_launcher(const Found& found, const Words& command, const fs::path& file,
                           ScriptCommand& result) {
  const auto line =
      RINGSIDE_TRY(read_options(command, found.options, options_of(found.launcher), found.name));
  set_defaults(found.launcher, result);
  Reader reader(found, result);
  std::vector<GivenOption> given;
  if (!file.empty()) {
    auto said = RINGSIDE_TRY(accelerate_file(file, line));
    given = std::move(said);
    result.notes.push_back(printable_line(file.string()) +
                           " was read, as accelerate launch does it");
  }
  given.insert(given.end(), line.given.begin(), line.given.end());
  for (const GivenOption& one : given) {
    RINGSIDE_TRY(reader.read(one));
  }
  reader.note_ours();
  const Words words = slice(command, line.program, command.size());
  const auto program = RINGSIDE_TRY(reader.program(words));
  // Words before the launcher, such as `uv run`, are kept.
  result.argv = joined(slice(command, 0, found.begin), program);
  result.name = messages::program_name({words.front()});
  return {};
}

}  // namespace

Result<ScriptCommand> understand(const ScriptRequest& request) {
  ScriptCommand result;
  Words variables;
  const Words empty = {""};
  const Words command = without_shell(request.command.empty() ? empty : request.command, variables);
  if (command.empty() || command.front().empty())
    return bad_request("no command: write it behind --, such as -- python train.py");
  RINGSIDE_TRY(take_variables(variables, result));
  RINGSIDE_TRY(check_starter(command));
  const bool own_path = std::any_of(variables.begin(), variables.end(),
                                    [](const auto& one) { return one.starts_with("PATH="); });
  const auto found = find_launcher(command, own_path);
  if (!found) {
    result.argv = command;
    result.starts_ranks = starts_ranks(command);
    if (needs_python(command.front())) result.argv.insert(result.argv.begin(), {"python3", "-u"});
    return result;
  }
  fs::path file;
  std::string unasked;
  if (found->launcher == Launcher::kAccelerate) {
    const Words environment = joined(request.environment, result.environment);
    const Words arguments = slice(command, found->options, command.size());
    file = accelerate_file_of(arguments, environment, request.cwd);
    // Without a configuration file our table usually suffices, and needs no time.
    if (ScriptCommand plain = result; file.empty() && read_launcher(*found, command, {}, plain))
      return plain;
    if (request.ask) {
      const auto answered =
          RINGSIDE_TRY(take_answer(request, *found, command, environment, result, unasked));
      if (answered) return result;
    }
  }
  const bool mixed = found->launcher == Launcher::kFabric;
  const auto read =
      read_launcher(*found, mixed ? options_first(command, *found) : command, file, result);
  if (!read) return tl::unexpected(Error{read.error().kind, read.error().message + unasked});
  return result;
}

}  // namespace ringside::launch
