// Evaluation by the real trainer, in every mode on three ranks with one checkpoint.
#include <algorithm>
#include <csignal>
#include <regex>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/engine/rank_process.h"

using namespace ringside;
using testing::quick_spec;
using testing::start_ranks;

namespace {

// A checkpoint after one epoch of one rank.
std::filesystem::path trained(const TempFolder& folder) {
  folder.write("spec.toml", quick_spec(1, "[train]\nepochs = 1\n"));
  auto ranks = start_ranks(folder.path(), 1, 0);
  REQUIRE(ranks[0]->wait() == 0);
  return folder.path() / "checkpoints" / "epoch_001.pt";
}

std::string evaluated(const std::filesystem::path& weights, int world, const std::string& mode,
                      const std::string& key) {
  const TempFolder folder;
  const std::string from =
      key == "resume" ? "[checkpoint]\nresume = \"" : "[model]\ninit_from = \"";
  folder.write("spec.toml", quick_spec(world, "[train]\nepochs = 0\n[evaluate]\nmode = \"" + mode +
                                                  "\"\n" + from + weights.string() + "\"\n"));
  auto ranks = start_ranks(folder.path(), world, 0);
  for (auto& rank : ranks) CHECK(rank->wait() == 0);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "checkpoints"));
  return ranks[0]->output();
}

std::smatch found(const std::string& text, const std::string& pattern) {
  static std::string kept;
  kept = text;
  std::smatch match;
  INFO(text);
  REQUIRE(std::regex_search(kept, match, std::regex(pattern)));
  return match;
}

std::string result_line(const std::string& output) {
  return found(output, "test      (loss [0-9.]+  accuracy +[0-9.]+ %  [0-9]+ samples)")[1];
}

}  // namespace

TEST_CASE(
    "weights are evaluated in every mode, with the same result for every sample counted once") {
  const TempFolder folder;
  const auto weights = trained(folder);
  const std::string alone = evaluated(weights, 1, "exact", "init_from");
  const std::string expected = result_line(alone);
  CHECK(expected.find("100 samples") != std::string::npos);
  CHECK(result_line(evaluated(weights, 3, "exact", "resume")) == expected);
  const std::string first = evaluated(weights, 3, "rank0", "init_from");
  CHECK(result_line(first) == expected);

  const std::string padded = evaluated(weights, 3, "padded", "resume");
  const auto counts = found(padded,
                            "with 2 repeats ([0-9]+) of 102 correct; each sample once: ([0-9]+) of "
                            "100, ([0-9]+)\\.0000 %");
  const int with = std::stoi(counts[1]);
  const int once = std::stoi(counts[2]);
  CHECK(with - once >= 0);
  CHECK(with - once <= 2);
  CHECK(once == std::stoi(counts[3]));
  const auto accuracy = found(expected, "accuracy +([0-9]+)\\.00 %");
  CHECK(std::stoi(accuracy[1]) == once);
}

TEST_CASE("evaluation without training needs weights, otherwise exit code 2") {
  const TempFolder folder;
  folder.write("spec.toml",
               quick_spec(1, "[train]\nepochs = 0\n[checkpoint]\nresume = \"auto\"\n"));
  auto ranks = start_ranks(folder.path(), 1, 0);
  CHECK(ranks[0]->wait() == 2);
  CHECK(ranks[0]->output().find("there is no checkpoint in") != std::string::npos);
}

TEST_CASE("during training rank 0 evaluates while the other waits, and both continue") {
  const TempFolder folder;
  folder.write("spec.toml", quick_spec(2, "[train]\nepochs = 2\n[evaluate]\nmode = \"rank0\"\n"));
  auto ranks = start_ranks(folder.path(), 2, 0);
  CHECK(ranks[0]->wait() == 0);
  CHECK(ranks[1]->wait() == 0);
  CHECK(ranks[0]->output().find("epoch 2/2  validate") != std::string::npos);
  CHECK(ranks[0]->output().find("  100 samples") != std::string::npos);
}

TEST_CASE("a single evaluation at the end uses the last checkpoint as read from its file") {
  const TempFolder folder;
  const std::string more =
      "[train]\nepochs = 5\n[evaluate]\nmode = \"padded\"\nevery_epochs = 0\nbatch = 7\nreload = "
      "true\n[checkpoint]\nevery_epochs = 3\nfirst_epoch = 1\nkeep = 0\n";
  folder.write("spec.toml", quick_spec(3, more));
  auto ranks = start_ranks(folder.path(), 3, 0);
  for (auto& rank : ranks) CHECK(rank->wait() == 0);
  const std::string output = ranks[0]->output();
  INFO(output);
  CHECK(output.find("epoch 4/5  validate") == std::string::npos);
  CHECK(output.find("epoch 5/5  validate") != std::string::npos);
  CHECK(output.find("with 2 repeats") != std::string::npos);
  std::vector<std::string> saved;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "checkpoints"))
    saved.push_back(entry.path().filename().string());
  std::sort(saved.begin(), saved.end());
  CHECK(saved == std::vector<std::string>{"epoch_001.pt", "epoch_004.pt", "epoch_005.pt"});
}

TEST_CASE("the run ends if a checkpoint to be evaluated cannot be written") {
  const TempFolder folder;
  folder.write("checkpoints", "a file where the folder should be");
  folder.write("spec.toml", quick_spec(2, "[train]\nepochs = 1\n[evaluate]\nreload = true\n"));
  auto ranks = start_ranks(folder.path(), 2, 0);
  CHECK(ranks[0]->wait() == 1);
  CHECK(ranks[1]->wait() == 1);
  CHECK(ranks[1]->output().find("rank 0 could not write epoch_001.pt") != std::string::npos);
}

TEST_CASE("there is no evaluation unless configured") {
  const TempFolder folder;
  folder.write("spec.toml", quick_spec(1, "[train]\nepochs = 1\n[evaluate]\nmode = \"none\"\n"));
  auto ranks = start_ranks(folder.path(), 1, 0);
  CHECK(ranks[0]->wait() == 0);
  CHECK(ranks[0]->output().find("validate") == std::string::npos);
}
