// Finds the launcher that a command line names: one whose options are read, one that starts its
// ranks itself, or none; also behind other programs, in a shell's one line, and in a shell script
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

/// A launcher among the words of a command.
struct Found {
  Launcher launcher = Launcher::kTorchrun;
  std::string name;                 ///< as people say it: "torchrun"
  std::size_t begin = 0;            ///< index of its first word
  std::size_t options = 0;          ///< index of the word behind it
  std::vector<std::string> python;  ///< with its options; empty: that of no Python
};

inline constexpr std::string_view kVisibleGpus = "CUDA_VISIBLE_DEVICES";
/// A variable that Ringside sets for each rank.
bool is_of_agent(const std::string& name);

bool is_python(const std::string& word);
bool is_python_file(const std::string& word);
/// A shell, or a program such as `env`, `nice` and `uv`, that starts the one in its arguments.
bool starts_another(const std::string& program);

/// `command` without what a shell would do with it: "sh -c LINE" of one plain command is that
/// command, and NAME=value in front of it, by itself or behind `env`, goes to `variables`.
std::vector<std::string> without_shell(std::vector<std::string> command,
                                       std::vector<std::string>& variables);

/// Finds a launcher also behind another program, such as `uv run`, but not among the arguments of a
/// script. `own_path`: the command sets PATH, which is to find Python.
std::optional<Found> find_launcher(const std::vector<std::string>& words, bool own_path);

/// Why a command that starts ranks otherwise cannot be a rank, and what to write instead: `mpirun`
/// and the like.
Result<void> check_starter(const std::vector<std::string>& words);

/// What starts its ranks itself, as far as its name says so, and what to write instead; empty: no
/// sign of it. To be told before the start; with several ranks asked for it is an error.
std::string starts_ranks(const std::vector<std::string>& words);

}  // namespace ringside::launch
