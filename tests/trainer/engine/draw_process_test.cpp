#include <algorithm>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/engine/rank_process.h"

using namespace ringside;
using testing::start_ranks;

namespace {

std::string grid_spec(const std::string& more = {}) {
  return "[devices]\nkind = \"cpu\"\nworld_size = 2\n[model]\nname = \"none\"\n[data]\nname = "
         "\"integers\"\ntrain_samples = 8\n[batch]\nsize = 4\nmeaning = \"per_rank\"\n[train]\n"
         "epochs = 2\nseed = 0\n" +
         more;
}

std::vector<std::string> outputs_of(const std::string& spec) {
  const TempFolder folder;
  folder.write("spec.toml", spec);
  auto ranks = start_ranks(folder.path(), 2, 0);
  std::vector<std::string> outputs;
  for (auto& rank : ranks) {
    CHECK(rank->wait() == 0);
    const std::string output = rank->output();
    // The line before it says that no agent is connected.
    outputs.push_back(output.substr(std::min(output.find("epoch 1"), output.size())));
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "checkpoints"));
  return outputs;
}

}  // namespace

TEST_CASE("a run without a model prints the samples that each rank draws, as published") {
  const auto outputs = outputs_of(grid_spec());
  CHECK(outputs[0] == "epoch 1  rank 0 draws 4 7 2 1\nepoch 2  rank 0 draws 5 2 7 1\n");
  CHECK(outputs[1] == "epoch 1  rank 1 draws 0 3 5 6\nepoch 2  rank 1 draws 4 6 3 0\n");
}

TEST_CASE("without set_epoch every epoch draws the same samples") {
  const auto outputs = outputs_of(grid_spec("[sampler]\nset_epoch = false\n"));
  CHECK(outputs[0] == "epoch 1  rank 0 draws 4 7 2 1\nepoch 2  rank 0 draws 4 7 2 1\n");
}

TEST_CASE("a run without a model reports invalid sampler settings and exits with code 2") {
  const TempFolder folder;
  auto spec = grid_spec("[sampler]\npadding = \"none\"\n");
  spec.replace(spec.find("train_samples = 8"), 17, "train_samples = 1");
  folder.write("spec.toml", spec);
  auto ranks = start_ranks(folder.path(), 2, 0);
  for (auto& rank : ranks) {
    CHECK(rank->wait() == 2);
    CHECK(rank->output().find("leave a rank without a sample") != std::string::npos);
  }
}
