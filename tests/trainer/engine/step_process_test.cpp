// Effects of the step settings on a whole run, with real ranks.
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/engine/rank_process.h"

using namespace ringside;
using testing::quick_spec;
using testing::RankProcess;
using testing::start_ranks;

namespace {

struct Run {
  std::vector<double> losses;  ///< of rank 0, by step
  std::string hash;
  std::string output;
};

// `more` begins within [batch].
Run step_process_train(int world_size, const std::string& more) {
  const TempFolder folder;
  folder.write("spec.toml",
               quick_spec(world_size, more + "[evaluate]\nmode = \"none\"\n[checkpoint]\n"
                                             "every_epochs = 0\n"));
  auto ranks = start_ranks(folder.path(), world_size, 0,
                           {"--dump-losses", (folder.path() / "losses").string()});
  for (auto& rank : ranks) REQUIRE(rank->wait() == 0);
  Run run;
  run.output = ranks[0]->output();
  const auto at = run.output.find("hash ");
  if (at != std::string::npos) run.hash = run.output.substr(at + 5, 16);
  std::ifstream dumped(folder.path() / "losses.rank0");
  double step = 0, loss = 0, step_ns = 0, cpu_ns = 0;
  while (dumped >> step >> loss >> step_ns >> cpu_ns) run.losses.push_back(loss);
  return run;
}

}  // namespace

TEST_CASE("a batch in parts of unequal size trains the same as the undivided batch") {
  // LeNet has neither dropout nor batch statistics, so dividing the batch makes no difference.
  const std::string rest = "[model]\nname = \"lenet\"\n[train]\nmax_steps = 20\n";
  const Run uncut = step_process_train(2, rest);
  const Run parts = step_process_train(2, "accumulate = 3\n" + rest);  // 16 = 6 + 6 + 4
  REQUIRE(uncut.losses.size() == 20);
  REQUIRE(parts.losses.size() == 20);
  for (std::size_t i = 0; i < 20; ++i)
    CHECK(parts.losses[i] == Approx(uncut.losses[i]).epsilon(1e-5));
  CHECK(uncut.losses[0] != Approx(uncut.losses[19]).epsilon(1e-3));
}

TEST_CASE("half precision trains almost like fp32, and its slowness on CPU slots is reported") {
  std::ifstream file("/proc/cpuinfo");
  const std::string processor(std::istreambuf_iterator<char>(file), {});
  REQUIRE_FALSE(processor.empty());
  const bool fast_bf16 = processor.find("avx512_bf16") != std::string::npos;
  const auto of = [](const std::string& precision) {
    return step_process_train(2, "[train]\nmax_steps = 12\nprecision = \"" + precision + "\"\n");
  };
  const Run exact = of("fp32");
  for (const std::string precision : {"bf16", "fp16"}) {
    const Run rounded = of(precision);
    REQUIRE(rounded.losses.size() == 12);
    CHECK(rounded.losses != exact.losses);
    for (std::size_t i = 0; i < 12; ++i) CHECK(std::abs(rounded.losses[i] - exact.losses[i]) < 0.1);
    const bool slow = precision == "fp16" || !fast_bf16;
    CHECK((rounded.output.find("slower than fp32") != std::string::npos) == slow);
  }
}

TEST_CASE("a deterministic run with channels_last is bitwise reproducible") {
  const std::string more =
      "[train]\nmax_steps = 8\ndeterministic = true\nchannels_last = true\n"
      "[optimizer]\nname = \"adam\"\nlr = 0.001\n";
  const Run first = step_process_train(2, more);
  CHECK(first.hash.size() == 16);
  CHECK(step_process_train(2, more).hash == first.hash);
}

TEST_CASE("settings that a CPU slot lacks end with code 2 before training, in one error") {
  const TempFolder folder;
  folder.write("gpu.toml", quick_spec(1,
                                      "[train]\nprecision = \"tf32\"\ncuda_graph = true\n"
                                      "cudnn_benchmark = true\n"));
  folder.write("dp.toml", quick_spec(2, "").replace(0, 10, "[devices]\nparallel = \"dp\"\n"));
  const auto run = [&](const std::string& spec) {
    RankProcess process({"--spec", (folder.path() / spec).string()}, {}, folder.path() / "output");
    const auto code = process.wait();
    return std::to_string(code.value_or(-1)) + " " + process.output();
  };
  const std::string refused = run("gpu.toml");
  CHECK(refused.find("2 ") == 0);
  for (const char* name : {"tf32", "cuda_graph", "cudnn_benchmark", "CPU slot"})
    CHECK(refused.find(name) != std::string::npos);
  const std::string no_dp = run("dp.toml");
  CHECK(no_dp.find("2 ") == 0);
  CHECK(no_dp.find("\"dp\" with 2 devices") != std::string::npos);
}
