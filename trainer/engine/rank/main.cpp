// ringside-trainer: the program of one rank.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "protocol/base/exit_code.h"
#include "protocol/base/slurm_task.h"
#include "protocol/host/files.h"
#include "protocol/host/process_setup.h"
#include "protocol/messages/cuda_code.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"
#include "trainer/cuda/cuda_loader.h"
#include "trainer/dist/environment.h"
#include "trainer/engine/rank/command_line.h"
#include "trainer/engine/rank/rank_main.h"

namespace {

using namespace ringside;

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

int train(const engine::CommandLine& line) {
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
  const engine::CommandLine line = engine::parse_command_line(argc, argv);
  if (line.exit_code >= 0) return line.exit_code;
  return line.cuda_code ? print_cuda_code() : train(line);
}
