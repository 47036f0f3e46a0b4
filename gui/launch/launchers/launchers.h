// Finds the launcher in a command line: one whose options are read, one that starts its ranks
// itself, or none; also behind other programs, in a shell's one-line command, and in a shell script
// or a Makefile. Any thread. Reads the first lines of a launcher, which name its Python, and of
// such files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::launch {

enum class Launcher : std::uint8_t {
  kTorchrun,
  kTorchLaunch,
  kAccelerate,
  kDeepspeed,
  kComposer,
  kFabric,
};

/// A launcher found among the words of a command.
struct Found {
  Launcher launcher = Launcher::kTorchrun;
  std::string name;                 ///< common name: "torchrun"
  std::size_t begin = 0;            ///< index of its first word
  std::size_t options = 0;          ///< index of the word after it
  std::vector<std::string> python;  ///< with its options; empty: it does not run in Python
};

inline constexpr std::string_view kVisibleGpus = "CUDA_VISIBLE_DEVICES";
/// Whether this is a variable that Ringside sets for each rank.
bool is_of_agent(const std::string& name);

bool is_python(const std::string& word);
bool is_python_file(const std::string& word);

/// Index after the Python option at `at` and its value; `at` if it is not an option of Python.
std::size_t behind_python_option(const std::vector<std::string>& argv, std::size_t at);

/// Index after the options of the interpreter at `python`: a script, "-m", "-c" or "-".
std::size_t behind_python_options(const std::vector<std::string>& argv, std::size_t python);

/// Whether this is a shell, or a program such as `env`, `nice` and `uv` that runs its arguments.
bool starts_another(const std::string& program);

/// `command` without the parts that a shell would process: "sh -c LINE" with one simple command
/// becomes that command, and leading NAME=value words, with or without `env`, go to `variables`.
std::vector<std::string> without_shell(std::vector<std::string> command,
                                       std::vector<std::string>& variables);

/// Finds a launcher also behind another program, such as `uv run`, but not among the arguments of a
/// script. `own_path`: the command sets the PATH in which Python is looked up.
std::optional<Found> find_launcher(const std::vector<std::string>& words, bool own_path);

/// Rejects commands such as `mpirun` that start ranks in another way, and says what to write
/// instead.
Result<void> check_starter(const std::vector<std::string>& words);

/// A warning if the name of the command suggests that it starts its ranks itself, with what to
/// write instead; empty: no sign of that. Shown before the start; an error if several ranks are
/// asked for.
std::string starts_ranks(const std::vector<std::string>& words);

}  // namespace ringside::launch
