// ringside-check: one rank of a check of `ringside doctor`, started by the agent in a run folder.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "protocol/base/exit_code.h"
#include "protocol/host/files.h"
#include "protocol/host/process_setup.h"
#include "protocol/runlog/run_folder.h"
#include "trainer/check/check_rank.h"
#include "trainer/check/hooks.h"
#include "trainer/engine/rank/rank_main.h"
#include "trainer/telemetry/lifeline.h"

namespace {

using namespace ringside;
using check::CheckRank;
using check::Facts;

struct Line {
  std::string name;
  bool quick = false;
  int delayed_rank = -1;
  int delay_ms = 0;
  bool nccl_alone = false;
  std::string shared_gpu;
};

int complain(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return exit_code(error);
}

void tell(const Facts& facts) {
  std::printf("facts %s\n", facts.dump().c_str());
  std::fflush(stdout);
}

const std::map<std::string, check::Measurement>& measurements() {
  static const std::map<std::string, check::Measurement> all{
      {"sums", check::sums},  {"overflow", check::overflow}, {"feed", check::feed},
      {"load", check::load},  {"copies", check::copies},     {"hold", check::hold},
      {"links", check::links}};
  return all;
}

/// The trainer itself with one change.
engine::PreparedHook hook_of(const Line& line, const CheckRank& rank) {
  if (line.name == "clock")
    return [](engine::RankParts& parts) { tell(check::read_timeline(parts)); };
  if (line.name == "replay") return check::replay_on_host;
  const bool delayed = line.delayed_rank == rank.env.rank;
  return [delayed, delay_ns = line.delay_ms * std::int64_t{1'000'000}](engine::RankParts& parts) {
    if (delayed) check::delay_backward(parts, delay_ns);
  };
}

Result<CheckRank> rank_of(const Line& line) {
  const char* run_dir = std::getenv("RINGSIDE_RUN_DIR");
  if (run_dir == nullptr) return bad_request("`ringside doctor` starts this program in a run");
  const auto env =
      dist::read_environment([](const char* name) -> const char* { return std::getenv(name); });
  if (!env) return pass(env);
  const runlog::RunFolder folder(run_dir);
  const auto text = RINGSIDE_TRY(read_text(folder.spec_path()));
  auto spec = RINGSIDE_TRY(messages::parse_run_spec(text, folder.spec_path().string()));
  CheckRank rank;
  rank.spec = std::move(spec);
  rank.env = *env;
  rank.options.folder = folder.path();
  rank.options.rendezvous = folder.rendezvous_path(env->attempt);
  rank.run_dir = folder.path();
  rank.options.group_of_one = line.nccl_alone;
  rank.quick = line.quick;
  if (!line.shared_gpu.empty()) {
    // The agent started the ranks on CPU slots, since it does not give one GPU to two ranks.
    ::setenv("CUDA_VISIBLE_DEVICES", line.shared_gpu.c_str(), 1);
    rank.spec.devices.kind = "cuda";
    rank.options.share_gpu = true;
  }
  return rank;
}

int measure(const CheckRank& rank, check::Measurement measurement) {
  const telemetry::Lifeline lifeline(rank.env.lifeline_fd, telemetry::leave_without_agent);
  const auto facts = check::take(measurement, rank);
  if (!facts) return complain(facts.error());
  tell(*facts);
  return 0;
}

int run(const Line& line) {
  auto rank = rank_of(line);
  if (!rank) return complain(rank.error());
  // CUDA is loaded before any other call of LibTorch.
  rank->cuda = rank->spec.devices.kind == "cpu"
                   ? cuda::CudaModule{nullptr, "CPU slots were asked for"}
                   : cuda::load_cuda();
  const auto measurement = measurements().find(line.name);
  if (measurement != measurements().end()) return measure(*rank, measurement->second);
  const runlog::RunFolder folder(rank->run_dir);
  return engine::run_rank(rank->spec, rank->env, rank->options, folder.agent_path(),
                          rank->env.error_file, rank->cuda, hook_of(line, *rank));
}

}  // namespace

int main(int argc, char** argv) {
  set_up_process();
  Line line;
  CLI::App app{"One rank of a check. Started by `ringside doctor --train`, `--gpu` or `--links`."};
  app.set_version_flag("--version", "ringside-check " RINGSIDE_VERSION);
  app.add_option("name", line.name, "Which check")
      ->required()
      ->check(CLI::IsMember({"sums", "overflow", "feed", "load", "copies", "hold", "links", "clock",
                             "replay", "train"}));
  app.add_flag("--quick", line.quick, "Less of it");
  app.add_option("--delay-rank", line.delayed_rank, "With train: the rank that is late");
  app.add_option("--delay-ms", line.delay_ms, "By so much in every step");
  app.add_flag("--nccl-alone", line.nccl_alone,
               "One rank makes its process groups too: NCCL's on a GPU, Gloo's on a CPU slot");
  app.add_option("--share-gpu", line.shared_gpu,
                 "All ranks on the GPU with this UUID, with gradients over Gloo");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(line);
}
