// ringside-trainer: the program of one rank.
#include <torch/version.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "protocol/base/exit_code.h"
#include "protocol/base/slurm_task.h"
#include "protocol/host/files.h"
#include "protocol/host/process_setup.h"
#include "protocol/messages/cuda_code.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"
#include "trainer/cuda/cuda_loader.h"
#include "trainer/dist/environment.h"
#include "trainer/engine/rank/rank_main.h"

namespace {

using namespace ringside;

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

int complain(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return exit_code(error);
}

Result<messages::RunSpec> read_spec(const std::filesystem::path& path) {
  const auto text = read_text(path);
  if (!text) return bad_request(text.error().message);
  auto spec = messages::parse_run_spec(*text, path.string());
  if (!spec) return spec;
  RINGSIDE_TRY(messages::validate(*spec));
  return spec;
}

int print_cuda_code() {
  for (const std::string& name : messages::cuda_code(cuda::cuda_build_text()))
    std::printf("%s\n", name.c_str());
  std::fflush(stdout);
  ::_exit(0);  // skips the teardown of LibTorch's CUDA part
}

int train(const CommandLine& line) {
  const bool in_folder = !line.run_dir.empty();
  const auto get = [](const char* name) -> const char* { return std::getenv(name); };
  const auto env = dist::read_environment(get);
  if (!env) return complain(env.error());
  const auto spec = read_spec(in_folder ? runlog::RunFolder(line.run_dir).spec_path() : line.spec);
  if (!spec) return complain(spec.error());
  if (!env->launched && messages::process_count(*spec) > 1) {
    return complain({ErrorKind::kRequest,
                     "the spec asks for " + std::to_string(messages::process_count(*spec)) +
                         " ranks, and this is one process; start it with `ringside run`, or with "
                         "`torchrun --no-python --nproc-per-node N`"});
  }
  if (is_slurm_task(get) && env->rank == 0) {
    std::fprintf(stderr,
                 "ringside-trainer: nothing of this is recorded: `srun ... ringside run "
                 "FILE.toml` makes each task a rank of a run that is\n");
  }
  engine::RankOptions options;
  options.folder = line.out;
  options.dump_losses = line.dump_losses;
  options.weights_in = line.weights_in;
  options.weights_out = line.weights_out;
  std::filesystem::path error_file = env->error_file;
  std::filesystem::path card;
  if (in_folder) {
    const runlog::RunFolder folder(line.run_dir);
    options.folder = folder.path();
    card = folder.agent_path(env->from_agent ? env->node : 0);
    if (env->from_agent) {
      const bool one_node = env->local_world_size == env->world_size;
      if (one_node) options.rendezvous = folder.rendezvous_path(env->attempt);
      if (error_file.empty()) error_file = folder.rank_dir(env->attempt, env->rank) / "error.json";
    }
  }
  // CUDA is loaded before any other call of LibTorch; a run on CPU slots skips it to save time.
  const auto cuda = spec->devices.kind == "cpu"
                        ? cuda::CudaModule{nullptr, "CPU slots were asked for"}
                        : cuda::load_cuda();
  return engine::run_rank(*spec, *env, options, card, error_file, cuda);
}

}  // namespace

int main(int argc, char** argv) {
  set_up_process();
  // Writing to a rank that died becomes an error with a reason, in whichever library.
  std::signal(SIGPIPE, SIG_IGN);
  const CommandLine line = parse_command_line(argc, argv);
  if (line.exit_code >= 0) return line.exit_code;
  return line.cuda_code ? print_cuda_code() : train(line);
}
