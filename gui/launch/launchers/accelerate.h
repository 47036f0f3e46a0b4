// The start that `accelerate launch` would make: as the Accelerate of the person's own Python says
// it, else as the lines of its configuration file do. Any thread; asking blocks, for two minutes at
// most.
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

/// Where it is asked, and what for.
struct AccelerateQuestion {
  std::vector<std::string> python;       ///< with what stands in front of it
  std::vector<std::string> arguments;    ///< behind "accelerate launch"
  std::vector<std::string> environment;  ///< NAME=value beside that of this process
  std::string cwd;                       ///< empty: that of this process
  bool operator==(const AccelerateQuestion&) const = default;
};

struct AccelerateAnswer {
  std::int64_t ranks = 1;
  std::vector<std::string> devices;      ///< as ScriptCommand has them
  std::vector<std::string> environment;  ///< what it would set, NAME=value
  std::int64_t restarts = 0;
  bool module = false;
  bool no_python = false;
  std::vector<std::string> program;  ///< with its arguments
  /// What is not training of ranks on this machine by torchrun's variables: "TPUs". Empty: it is.
  std::string refused;
};

/// A bad request: Accelerate itself does not take the line. Other failures: it could not be asked.
Result<AccelerateAnswer> ask_accelerate(const AccelerateQuestion& question,
                                        const Cancelled& cancelled = {});

/// The file that it would read without --config_file, if it is there.
std::optional<std::filesystem::path> default_accelerate_file(
    const std::vector<std::string>& environment);

/// The lines of a configuration file as options and their values, in its order: "--num-processes",
/// "2". A bad request names what is only understood by Accelerate itself.
Result<std::vector<std::pair<std::string, std::string>>> accelerate_file_options(
    const std::filesystem::path& file);

}  // namespace ringside::launch
