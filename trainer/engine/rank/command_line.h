// The command line of ringside-trainer. Pure: nothing is opened here.
#pragma once

#include <filesystem>
#include <string>

namespace ringside::engine {

struct CommandLine {
  std::filesystem::path run_dir;  ///< as the agent calls it
  std::filesystem::path spec;     ///< by hand, or under torchrun
  std::filesystem::path out;
  std::string dump_losses;
  std::string weights_in;
  std::string weights_out;
  bool cuda_code = false;  ///< only say for which GPUs LibTorch was built
  int exit_code = -1;  ///< 0 or above: --help or --version was answered, or the request was wrong;
                       ///< leave with it
};

/// Prints help, version and complaints itself.
CommandLine parse_command_line(int argc, char** argv);

}  // namespace ringside::engine
