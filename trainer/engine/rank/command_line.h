// Parses the command line of ringside-trainer. Pure: opens no files.
#pragma once

#include <filesystem>
#include <string>

namespace ringside::engine {

struct CommandLine {
  std::filesystem::path run_dir;  ///< set by the agent
  std::filesystem::path spec;     ///< set by hand, or under torchrun
  std::filesystem::path out;
  std::string dump_losses;
  std::string weights_in;
  std::string weights_out;
  bool cuda_code = false;  ///< only print the GPUs for which LibTorch was built
  int exit_code = -1;  ///< exit with this code if 0 or above: after --help or --version, or for a
                       ///< wrong request
};

/// Prints help, version and errors itself.
CommandLine parse_command_line(int argc, char** argv);

}  // namespace ringside::engine
