// The command that `accelerate launch` would start: asked from the Accelerate of the person's own
// Python, or else read from the lines of its configuration file. Any thread; asking blocks for up
// to two minutes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/launch/child.h"
#include "protocol/base/result.h"

namespace ringside::launch {

/// A question to Accelerate about one command line.
struct AccelerateQuestion {
  std::vector<std::string> python;       ///< preceded by the programs that start it
  std::vector<std::string> arguments;    ///< after "accelerate launch"
  std::vector<std::string> environment;  ///< NAME=value, added to the environment of this process
  std::string cwd;                       ///< empty: that of this process
  bool operator==(const AccelerateQuestion&) const = default;
};

struct AccelerateAnswer {
  std::int64_t ranks = 1;
  std::vector<std::string> devices;      ///< as in ScriptCommand
  std::vector<std::string> environment;  ///< variables that it would set, NAME=value
  std::int64_t restarts = 0;
  bool module = false;
  bool no_python = false;
  std::vector<std::string> program;  ///< program with its arguments
  /// What it would start other than ranks on this machine with torchrun's variables, such as
  /// "TPUs". Empty: nothing else.
  std::string refused;
};

/// A bad request: Accelerate itself rejects the command line. Other failures: it could not be
/// asked.
Result<AccelerateAnswer> ask_accelerate(const AccelerateQuestion& question,
                                        const Cancelled& cancelled = {});

/// The file that it reads by default, without --config_file, if that exists.
std::optional<std::filesystem::path> default_accelerate_file(
    const std::vector<std::string>& environment);

/// The lines of a configuration file as options and values, in order: "--num-processes", "2". A bad
/// request names a line that only Accelerate itself understands.
Result<std::vector<std::pair<std::string, std::string>>> accelerate_file_options(
    const std::filesystem::path& file);

}  // namespace ringside::launch
