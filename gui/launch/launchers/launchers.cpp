#include "gui/launch/launchers/launchers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "gui/launch/paths.h"
#include "protocol/base/printable.h"
#include "protocol/base/shell_word.h"
#include "protocol/host/files.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t kMostScriptBytes = std::size_t{1} << 18;
constexpr std::size_t kMostShownLine = 120;

std::string base_name(const std::string& word) { return fs::path(word).filename().string(); }

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_shell(const std::string& word) {
  static constexpr std::array<std::string_view, 5> kShells = {"sh", "bash", "dash", "zsh", "ksh"};
  return is_one_of(kShells, base_name(word));
}

/// Whether the word is "NAME=value", and not "--option=value" or "./a=b".
bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos || equals == 0 || (word[0] >= '0' && word[0] <= '9')) return false;
  return word.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == equals;
}

struct Named {
  std::string_view words;  ///< words of a command, or the name of a module
  Launcher launcher;
};

constexpr auto kPrograms = std::to_array<Named>({
    {"torchrun", Launcher::kTorchrun},
    {"accelerate-launch", Launcher::kAccelerate},
    {"accelerate launch", Launcher::kAccelerate},
    {"deepspeed", Launcher::kDeepspeed},
    {"composer", Launcher::kComposer},
    {"fabric run model", Launcher::kFabric},
    {"fabric run", Launcher::kFabric},
    {"lightning run model", Launcher::kFabric},
    {"lightning run", Launcher::kFabric},
});

constexpr auto kModules = std::to_array<Named>({
    {"torch.distributed.run", Launcher::kTorchrun},
    {"torch.distributed.launch", Launcher::kTorchLaunch},
    {"accelerate.commands.launch", Launcher::kAccelerate},
    {"accelerate.commands.accelerate_cli launch", Launcher::kAccelerate},
    {"deepspeed.launcher.runner", Launcher::kDeepspeed},
    {"composer.cli.launcher", Launcher::kComposer},
    {"lightning.fabric.cli run", Launcher::kFabric},
    {"lightning_fabric.cli run", Launcher::kFabric},
});

/// The number of words at words[at] that `name` matches; the first may be a path.
std::size_t match(const Words& words, std::size_t at, std::string_view name) {
  std::istringstream parts{std::string(name)};
  std::size_t count = 0;
  for (std::string part; parts >> part; ++count) {
    if (at + count >= words.size()) return 0;
    const std::string& word = words[at + count];
    if ((count == 0 ? base_name(word) : word) != part) return 0;
  }
  return count;
}

std::optional<Found> launcher_at(const Words& words, std::size_t at) {
  for (const Named& one : kPrograms) {
    if (const std::size_t count = match(words, at, one.words); count > 0)
      return Found{one.launcher, std::string(one.words), at, at + count, {}};
  }
  if (!is_python(words[at])) return std::nullopt;
  const std::size_t module = behind_python_options(words, at);
  if (module + 1 >= words.size() || words[module] != "-m") return std::nullopt;
  for (const Named& one : kModules) {
    const std::size_t count = match(words, module + 1, one.words);
    if (count == 0) continue;
    Found found{one.launcher, std::string(one.words), at, module + 1 + count, {}};
    found.python.assign(words.begin() + static_cast<std::ptrdiff_t>(at),
                        words.begin() + static_cast<std::ptrdiff_t>(module));
    return found;
  }
  return std::nullopt;
}

/// The Python in a launcher's first lines: "#!PYTHON", or the form with a shell that pip writes for
/// long paths.
std::string python_in(const fs::path& launcher) {
  std::ifstream lines(launcher);
  std::string line;
  std::getline(lines, line);
  if (!line.starts_with("#!")) return {};
  std::string program = line.substr(std::min(line.find_first_not_of(' ', 2), line.size()));
  if (is_python(program)) return program;
  std::getline(lines, line);
  constexpr std::string_view kExec = "'''exec' ";
  const auto words =
      line.starts_with(kExec)
          ? split_words(line.substr(kExec.size(), line.find(" \"$0\"") - kExec.size()))
          : Result<Words>(Words{});
  return words && !words->empty() && is_python(words->front()) ? words->front() : std::string();
}

/// Programs that start another one and leave PATH unchanged.
bool keeps_path(const std::string& word) {
  static constexpr std::array<std::string_view, 21> kKeep = {
      "env",    "nice",    "ionice",   "numactl", "nohup",  "taskset", "setsid",
      "stdbuf", "timeout", "time",     "chrt",    "exec",   "prlimit", "nsys",
      "ncu",    "py-spy",  "xvfb-run", "perf",    "strace", "gdb",     "catchsegv"};
  return is_one_of(kKeep, base_name(word));
}

/// Programs that start another one, including those that change PATH.
bool is_wrapper(const std::string& word) {
  static constexpr std::array<std::string_view, 14> kOwnPath = {
      "uv",    "conda", "mamba", "micromamba", "poetry",      "pipenv", "pdm",
      "hatch", "pixi",  "rye",   "apptainer",  "singularity", "docker", "podman"};
  return keeps_path(word) || is_one_of(kOwnPath, base_name(word));
}

/// Words after these are arguments of a script, or of a program that starts no other.
bool ends_search(const Words& words, std::size_t at) {
  if (is_python_file(words[at]) || (at == 0 && !is_wrapper(words[at]))) return true;
  if (words[at] != "-c" && words[at] != "-m") return false;
  // taskset and numactl have options of the same names, which end nothing.
  const auto here = words.begin() + static_cast<std::ptrdiff_t>(at);
  return std::any_of(words.begin(), here,
                     [](const auto& word) { return is_python(word) || is_shell(word); });
}

/// True for "conda run -n deepspeed", where the word names an environment, not a program.
bool is_environment(const Words& words, std::size_t at) {
  static constexpr std::array<std::string_view, 6> kOptions = {
      "-n", "--name", "-p", "--prefix", "-e", "--environment"};
  return at > 0 && is_one_of(kOptions, words[at - 1]);
}

/// The Python that runs an installed launcher.
Words python_of(const Words& words, std::size_t at, bool own_path) {
  const std::string& launcher = words[at];
  const bool path = launcher.find('/') != launcher.npos;
  // If another program may change PATH, the Python in the changed PATH is used.
  if (!path && (own_path || (at > 0 && !keeps_path(words.front())))) return {"python"};
  const auto file = find_on_path(launcher);
  std::error_code ignored;
  if (!file || !fs::exists(*file, ignored))  // the file is inside of a container, for example
    return {path ? (fs::path(launcher).parent_path() / "python").string() : "python3"};
  const std::string python = python_in(*file);
  return {python.empty() ? "python3" : python};
}

/// The line of a shell script or a Makefile that starts a launcher; empty: there is none.
std::string launching_line(const fs::path& file) {
  const auto text = read_text(file, kMostScriptBytes);
  std::istringstream lines(text ? *text : std::string());
  static constexpr std::array<std::string_view, 8> kNames = {"torchrun ",
                                                             "torch.distributed.run ",
                                                             "torch.distributed.launch ",
                                                             "accelerate launch ",
                                                             "deepspeed ",
                                                             "mpirun ",
                                                             "horovodrun ",
                                                             "srun "};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t@-");
    if (begin == line.npos || line[begin] == '#' || line.find("echo ") != line.npos) continue;
    for (const std::string_view name : kNames) {
      const std::size_t at = line.find(name);
      if (at == line.npos || (at > begin && line[at - 1] != ' ' && line[at - 1] != '/')) continue;
      line = line.substr(begin);
      return line.size() > kMostShownLine ? line.substr(0, kMostShownLine) + " …" : line;
    }
  }
  return {};
}

/// The file that `make` or a shell reads; empty: there is none.
fs::path read_file(const Words& words) {
  std::error_code ignored;
  if (base_name(words.front()) == "make") {
    for (const char* name : {"GNUmakefile", "makefile", "Makefile"})
      if (fs::is_regular_file(name, ignored)) return name;
    return {};
  }
  const std::size_t at = is_shell(words.front()) ? 1 : 0;
  if (at >= words.size()) return {};
  const bool script = words[at].ends_with(".sh") || at == 1;
  return script && fs::is_regular_file(words[at], ignored) ? fs::path(words[at]) : fs::path();
}

std::string rest_of(const Words& words, std::size_t at) {
  if (at >= words.size()) return {};
  return " " + printable_line(shell_words(
                   Words(words.begin() + static_cast<std::ptrdiff_t>(at), words.end())));
}

constexpr std::string_view kInstead = "; for Ringside to start them: ringside run --ranks N -- ";

/// Training programs that start a launcher themselves if there are several devices.
std::string trainer_at(const Words& words, std::size_t at) {
  const std::string itself = " starts ranks itself where there are several GPUs";
  const std::string instead(kInstead);
  if (match(words, at, "llamafactory-cli train") > 0)
    return "llamafactory-cli train" + itself + instead + "python -m llamafactory.launcher" +
           rest_of(words, at + 2);
  if (match(words, at, "axolotl train") > 0)
    return "axolotl train" + itself + instead + "python -m axolotl.cli.train" +
           rest_of(words, at + 2);
  if (match(words, at, "tune run") > 0) {
    const bool several =
        std::any_of(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(),
                    [](const std::string& word) { return word.starts_with("--nproc"); });
    if (!several) return {};
    return "tune run --nproc_per_node starts ranks itself; for Ringside to start them copy the "
           "recipe (tune cp RECIPE recipe.py), then: ringside run --ranks N -- python recipe.py "
           "--config FILE";
  }
  if (base_name(words[at]) != "yolo") return {};
  for (const std::string& word : words) {
    if (word.starts_with("device=") && word.find(',') != word.npos)
      return "yolo " + printable_line(word) + " starts its ranks itself: leave --ranks out";
  }
  return {};
}

bool sounds_like_launcher(const std::string& word) {
  const std::string name = base_name(word);
  static constexpr std::array<std::string_view, 3> kNone = {"run", "pipx-run", "xvfb-run"};
  static constexpr std::array<std::string_view, 5> kKnown = {"colossalai", "torchx", "ray", "sky",
                                                             "sbatch"};
  if (name.find('.') != name.npos || is_one_of(kNone, name)) return false;
  return is_one_of(kKnown, name) || name.ends_with("run") || name.find("launch") != name.npos;
}

}  // namespace

bool is_of_agent(const std::string& name) {
  static constexpr std::array<std::string_view, 7> kOfAgent = {
      "RANK",       "LOCAL_RANK",  "WORLD_SIZE", "LOCAL_WORLD_SIZE",
      "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT"};
  return is_one_of(kOfAgent, name) || name == kVisibleGpus;
}

bool is_python(const std::string& word) {
  const std::string name = base_name(word);
  return name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == name.npos;
}

bool is_python_file(const std::string& word) { return word.ends_with(".py"); }

std::size_t behind_python_option(const std::vector<std::string>& argv, std::size_t at) {
  if (at >= argv.size() || argv[at].size() < 2 || argv[at][0] != '-') return at;
  const std::string& word = argv[at];
  if (word == "-m" || word == "-c") return at;
  const bool has_value = word == "-W" || word == "-X" || word == "--check-hash-based-pycs";
  return std::min(at + (has_value ? 2 : 1), argv.size());
}

std::size_t behind_python_options(const std::vector<std::string>& argv, std::size_t python) {
  std::size_t at = python + 1;
  while (behind_python_option(argv, at) > at) at = behind_python_option(argv, at);
  return at;
}

bool starts_another(const std::string& program) { return is_shell(program) || is_wrapper(program); }

Words without_shell(Words command, Words& variables) {
  for (;;) {
    // A login shell (-lc) is left alone, since it sets PATH itself.
    if (command.size() == 3 && is_shell(command[0]) && command[1] == "-c") {
      const auto line = split_words(command[2]);
      if (!line || line->empty()) return command;
      command = *line;
      if (command.front() == "exec") command.erase(command.begin());
      if (command.empty()) return {};
      continue;
    }
    const std::size_t begin = base_name(command.front()) == "env" ? 1 : 0;
    std::size_t end = begin;
    while (end < command.size() && is_assignment(command[end])) ++end;
    // The command is kept if env has options, or if it only sets variables.
    if (end == command.size() || (begin == 1 && command[end].starts_with('-'))) return command;
    if (end == 0) return command;
    variables.insert(variables.end(), command.begin() + static_cast<std::ptrdiff_t>(begin),
                     command.begin() + static_cast<std::ptrdiff_t>(end));
    command.erase(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

std::optional<Found> find_launcher(const Words& words, bool own_path) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (auto found = is_environment(words, at) ? std::nullopt : launcher_at(words, at)) {
      if (found->python.empty()) found->python = python_of(words, at, own_path);
      return found;
    }
    if (ends_search(words, at)) return std::nullopt;
  }
  return std::nullopt;
}

Result<void> check_starter(const Words& words) {
  static constexpr std::array<std::string_view, 5> kOthers = {"horovodrun", "mpirun", "mpiexec",
                                                              "orterun", "prterun"};
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (is_environment(words, at)) continue;
    const std::string name = base_name(words[at]);
    if (name == "srun")
      return bad_request(
          "srun starts a task for each rank: write it in front of ringside, srun --ntasks=N "
          "ringside run -- python train.py");
    if (is_one_of(kOthers, name))
      return bad_request(name +
                         " starts ranks of its own, which Ringside does, too; write the script "
                         "alone: ringside run --ranks N -- python train.py");
    if (ends_search(words, at)) break;
  }
  return {};
}

std::string starts_ranks(const Words& words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (std::string trainer = trainer_at(words, at); !trainer.empty()) return trainer;
    if (ends_search(words, at)) break;
  }
  const fs::path file = read_file(words);
  if (!file.empty()) {
    const std::string line = launching_line(file);
    if (line.empty()) return {};
    return printable_line(file.string()) + " starts a launcher itself (" + printable_line(line) +
           "); for Ringside to start the ranks write that line behind --";
  }
  if (is_shell(words.front()) && words.size() > 2 && words[1].ends_with('c') &&
      !words[1].starts_with("--")) {
    for (const std::string_view name :
         {"torchrun", "torch.distributed", "accelerate launch", "deepspeed", "mpirun", "srun"}) {
      if (words[2].find(name) != std::string::npos)
        return printable_line(words.front()) + " -c starts " + std::string(name) +
               " itself; for Ringside to start the ranks write its line alone behind --";
    }
  }
  if (!sounds_like_launcher(words.front())) return {};
  return printable_line(base_name(words.front())) +
         " may be a launcher that Ringside does not know: if it starts ranks itself, write the "
         "script behind -- instead, with --ranks N";
}

}  // namespace ringside::launch
