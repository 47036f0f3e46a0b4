#include "trainer/engine/rank/command_line.h"

#include <torch/version.h>
#include <CLI/CLI.hpp>

namespace ringside::engine {

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  CLI::App app{
      "One rank of a training run. Started by Ringside's agent, by torchrun --no-python, or by "
      "hand with RANK, "
      "WORLD_SIZE, MASTER_ADDR and MASTER_PORT set."};
  app.set_version_flag("--version",
                       "ringside-trainer " RINGSIDE_VERSION "\nPyTorch " TORCH_VERSION);
  app.add_option("--run-dir", line.run_dir,
                 "Run folder with spec.toml and agent.json (as the agent starts a rank)");
  app.add_option("--spec", line.spec, "Run specification, when there is no run folder");
  app.add_option("--out", line.out,
                 "Folder for checkpoints, with --spec; without it none are written");
  app.add_option("--dump-losses", line.dump_losses,
                 "For tests: write 'step loss step_ns' lines to FILE.rankN");
  app.add_option("--weights-in", line.weights_in, "For tests: start from this state dict");
  app.add_option("--weights-out", line.weights_out,
                 "For tests: rank 0 writes the final state dict");
  app.add_flag("--cuda-code", line.cuda_code,
               "Print for which GPUs LibTorch was built (sm_80 ...), and leave");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    line.exit_code = app.exit(error) == 0 ? 0 : 2;
    return line;
  }
  if (line.cuda_code) return line;
  if (line.run_dir.empty() == line.spec.empty()) {
    std::fprintf(stderr, "give either --run-dir or --spec; see --help\n");
    line.exit_code = 2;
  }
  return line;
}

}  // namespace ringside::engine
