// Checkpoints and resume by the real trainer, with the same and with other ranks.
#include <algorithm>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/engine/rank_process.h"

using namespace ringside;
using testing::quick_spec;
using testing::start_ranks;

namespace {

std::string final_hash(const std::string& output) {
  const auto at = output.find("hash ");
  return at == std::string::npos ? "" : output.substr(at + 5, 16);
}

std::vector<std::string> checkpoints(const TempFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "checkpoints"))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Trains `spec` in `folder` and returns the output of rank 0.
std::string train(const TempFolder& folder, int world, int attempt, const std::string& more) {
  folder.write("spec.toml", quick_spec(world, more));
  auto ranks = start_ranks(folder.path(), world, attempt);
  for (auto& rank : ranks) REQUIRE(rank->wait() == 0);
  return ranks[0]->output();
}

// Each with a schedule by steps or by epochs.
std::string optimizer_number(int number) {
  switch (number) {
    case 0:
      return "[optimizer]\nname = \"adamw\"\nlr = 0.002\nweight_decay = 0.01\n[schedule]\nname = "
             "\"cosine\"\nwarmup_steps = 8\n";
    case 1:
      return "[optimizer]\nname = \"adam\"\n[schedule]\nname = \"onecycle\"\n";
    default:
      return "[optimizer]\nnesterov = true\nweight_decay = 0.001\n[schedule]\nname = "
             "\"multistep\"\nmilestones = [1, 2]\n";
  }
}

}  // namespace

TEST_CASE("every optimizer and schedule resumes within an epoch as if uninterrupted") {
  const std::string how = optimizer_number(GENERATE(0, 1, 2));
  const TempFolder whole;
  const std::string expected = final_hash(train(whole, 2, 0, how + "[train]\nepochs = 3\n"));
  REQUIRE(expected.size() == 16);

  // Saved every seven steps: 49 of 60 is within the third epoch.
  const TempFolder parts;
  const std::string every = "[checkpoint]\nevery_steps = 7\nevery_epochs = 0\nkeep = 2\n";
  CHECK(final_hash(train(parts, 2, 0, how + every + "[train]\nepochs = 3\n")) == expected);
  CHECK(checkpoints(parts) == std::vector<std::string>{"step_000049.pt", "step_000056.pt"});
  const auto saved = (parts.path() / "checkpoints" / "step_000049.pt").string();
  const TempFolder again;
  const std::string output =
      train(again, 2, 0, how + "[train]\nepochs = 3\n[checkpoint]\nresume = \"" + saved + "\"\n");
  CHECK(output.find("resumed from " + saved + ": 2 epochs and 49 steps done") != std::string::npos);
  CHECK(output.find("since then") == std::string::npos);
  CHECK(final_hash(output) == expected);
}

TEST_CASE("other ranks and another batch resume within an epoch, and report the changes") {
  const TempFolder first;
  train(first, 2, 0, "[train]\nepochs = 2\n[checkpoint]\nevery_steps = 25\nevery_epochs = 0\n");
  const auto saved = (first.path() / "checkpoints" / "step_000025.pt").string();
  // 25 steps of 32 samples are an epoch of 20 steps and 160 of 640 samples of the next: 480 are
  // left.
  const TempFolder second;
  const std::string spec = "[train]\nepochs = 3\n[checkpoint]\nresume = \"" + saved +
                           "\"\n[optimizer]\nlr_rule = \"linear\"\nlr_batch = 32\n";
  auto text = quick_spec(3, spec);
  text.replace(text.find("size = 32"), 9, "size = 48");
  second.write("spec.toml", text);
  auto ranks = start_ranks(second.path(), 3, 0);
  for (auto& rank : ranks) REQUIRE(rank->wait() == 0);
  const std::string output = ranks[0]->output();
  INFO(output);
  CHECK(
      output.find("since then: ranks 3 instead of 2, global batch 48 instead of 32, learning rate "
                  "scale 1.5 instead of 1, steps per epoch 14 instead of 20") != std::string::npos);
  CHECK(output.find("epoch 2/3  train") != std::string::npos);
  CHECK(output.find("  480 samples") != std::string::npos);
  // 10 steps for the rest of the second epoch, 14 for the third.
  CHECK(output.find("done: 49 steps") != std::string::npos);
}

TEST_CASE("a single rank continues from two ranks' checkpoint at the end of an epoch") {
  const TempFolder folder;
  train(folder, 2, 0, "[train]\nepochs = 1\n");
  const std::string output =
      train(folder, 1, 10, "[train]\nepochs = 2\n[checkpoint]\nresume = \"auto\"\n");
  CHECK(output.find("ranks 1 instead of 2") != std::string::npos);
  CHECK(output.find("global batch") == std::string::npos);
  CHECK(output.find("done: 40 steps") != std::string::npos);
}

TEST_CASE("R7: a damaged newest checkpoint is skipped for an older one, with a notice") {
  const TempFolder folder;
  const std::string keep = "[checkpoint]\nkeep = 3\nresume = \"auto\"\n";
  const std::string expected = final_hash(train(folder, 2, 0, keep + "[train]\nepochs = 3\n"));
  const auto newest = folder.path() / "checkpoints" / "epoch_003.pt";
  std::filesystem::resize_file(newest, std::filesystem::file_size(newest) / 2);
  folder.write("checkpoints/epoch_003.pt.a1B2c3.unfinished", "of a write that was killed");
  const std::string output = train(folder, 2, 1, keep + "[train]\nepochs = 3\n");
  INFO(output);
  CHECK(output.find("damaged and was passed over: cannot read " + newest.string()) !=
        std::string::npos);
  CHECK(output.find("epoch_002.pt: 2 epochs and 40 steps done") != std::string::npos);
  CHECK(final_hash(output) == expected);
  CHECK(checkpoints(folder) ==
        std::vector<std::string>{"epoch_001.pt", "epoch_002.pt", "epoch_003.pt"});
}

TEST_CASE("the best checkpoint is kept separately, and names can contain the ranks") {
  const TempFolder folder;
  const std::string output =
      train(folder, 2, 0,
            "[train]\nepochs = 3\n[checkpoint]\nkeep = 1\nbest = true\nnaming "
            "= \"ranks_epoch\"\n");
  CHECK(checkpoints(folder) == std::vector<std::string>{"2ranks_epoch_003.pt", "best.pt"});
}

TEST_CASE("a checkpoint that cannot be written is reported, and training continues") {
  const TempFolder folder;
  folder.write("checkpoints", "a file where the folder should be");
  const std::string output = train(folder, 2, 0, "[train]\nepochs = 2\n");
  CHECK(output.find("no checkpoint after step 20") != std::string::npos);
  CHECK(output.find("training continues") != std::string::npos);
  CHECK(output.find("done: 40 steps") != std::string::npos);
}

TEST_CASE("the last rank kills itself once at limits.crash_step, and not after a restart") {
  const TempFolder folder;
  const std::string more =
      "[train]\nepochs = 2\n[limits]\ncrash_step = 25\ncollective_timeout_s = 10\n";
  folder.write("spec.toml", quick_spec(2, more));
  {
    auto ranks = start_ranks(folder.path(), 2, 0);
    CHECK(ranks[1]->wait() == 128 + 9);
    CHECK(ranks[1]->output().find("killed itself after step 25") != std::string::npos);
    CHECK(ranks[0]->wait() == 1);
  }
  CHECK(checkpoints(folder) == std::vector<std::string>{"epoch_001.pt"});
  const std::string output = train(folder, 2, 1, more);
  CHECK(output.find("1 epochs and 20 steps done") != std::string::npos);
  CHECK(output.find("done: 40 steps") != std::string::npos);
}
