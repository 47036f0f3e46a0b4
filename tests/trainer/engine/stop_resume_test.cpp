#include <csignal>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/engine/rank_process.h"

using namespace ringside;
using testing::quick_spec;
using testing::start_ranks;

namespace {

std::vector<std::filesystem::path> stop_resume_checkpoints(const TempFolder& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "checkpoints")) {
    found.push_back(entry.path());
  }
  return found;
}

// The hash of the final parameters, as printed by rank 0.
std::string stop_resume_final_hash(const std::string& output) {
  const auto at = output.find("hash ");
  return at == std::string::npos ? "" : output.substr(at + 5, 16);
}

std::string train_to_the_end(const TempFolder& folder, int attempt) {
  auto ranks = start_ranks(folder.path(), 2, attempt);
  REQUIRE(ranks[1]->wait() == 0);
  REQUIRE(ranks[0]->wait() == 0);
  return stop_resume_final_hash(ranks[0]->output());
}

}  // namespace

TEST_CASE("R7: a request to one rank stops all after the same step, with a checkpoint") {
  const TempFolder folder;
  folder.write("spec.toml",
               quick_spec(2, "[train]\nepochs = 100000\n[checkpoint]\nevery_epochs = 0\n"));
  auto ranks = start_ranks(folder.path(), 2, 0);
  REQUIRE(ranks[0]->says("epoch 1/100000  validate"));
  ranks[1]->signal(SIGTERM);
  CHECK(ranks[0]->wait() == 0);
  CHECK(ranks[1]->wait() == 0);
  const auto saved = stop_resume_checkpoints(folder);
  REQUIRE(saved.size() == 1);
  // stop_step_000123.pt and "stopped on request after 123 steps" refer to the same step.
  const std::string name = saved.front().filename().string();
  REQUIRE(name.find("stop_step_") == 0);
  const long step = std::stol(name.substr(10));
  CHECK(step >= 20);
  CHECK(ranks[0]->output().find("stopped on request after " + std::to_string(step) + " steps") !=
        std::string::npos);
}

TEST_CASE("R7: a stop that cannot save fails, and reports that nothing was saved and why") {
  const TempFolder folder;
  folder.write("spec.toml",
               quick_spec(2, "[train]\nepochs = 100000\n[checkpoint]\nevery_epochs = 0\n"));
  folder.write("checkpoints", "a file where the folder should be");
  auto ranks = start_ranks(folder.path(), 2, 0);
  REQUIRE(ranks[0]->says("epoch 1/100000  validate"));
  ranks[1]->signal(SIGTERM);
  CHECK(ranks[0]->wait() == 1);
  const std::string output = ranks[0]->output();
  INFO(output);
  CHECK(output.find("and nothing was saved: cannot make the folder") != std::string::npos);
  CHECK(output.find("training continues") == std::string::npos);
}

TEST_CASE("a loss of NaN ends all ranks as failed, if configured") {
  const TempFolder folder;
  folder.write("spec.toml", quick_spec(2,
                                       "[train]\nepochs = 100000\nstop_on = \"nan\"\n"
                                       "[optimizer]\nlr = 1e6\n"));
  auto ranks = start_ranks(folder.path(), 2, 0);
  for (const auto& rank : ranks) {
    CHECK(rank->wait() == 1);
    INFO(rank->output());
    CHECK(rank->output().find("the loss is NaN or Inf") != std::string::npos);
    CHECK(rank->output().find("train.stop_on ends the run for it") != std::string::npos);
  }
}

TEST_CASE("a loss of NaN in the last step fails a run, too, and nothing is saved") {
  const TempFolder folder;
  folder.write("spec.toml", quick_spec(2,
                                       "[train]\nmax_steps = 3\nstop_on = \"nan\"\n"
                                       "[evaluate]\nmode = \"rank0\"\n[optimizer]\nlr = 1e6\n"));
  auto ranks = start_ranks(folder.path(), 2, 0);
  for (const auto& rank : ranks) {
    CHECK(rank->wait() == 1);
    INFO(rank->output());
    CHECK(rank->output().find("train.stop_on ends the run for it") != std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "checkpoints"));
}

TEST_CASE("weights with NaN are never saved as a checkpoint to resume from") {
  const TempFolder folder;
  // A weight without a gradient becomes 0/0 in the first step, whose own loss is still finite.
  const auto spec = [](const std::string& optimizer) {
    std::string text = quick_spec(1,
                                  "[train]\nmax_steps = 3\nstop_on = \"nan\"\n"
                                  "[checkpoint]\nevery_steps = 1\nkeep = 0\n"
                                  "[optimizer]\nname = \"adam\"\nlr = 0.001\n");
    const std::string size = "size = 32";
    return text.replace(text.find(size), size.size(), "size = 2") + optimizer;
  };
  folder.write("spec.toml", spec("eps = 0.0\n"));
  auto ranks = start_ranks(folder.path(), 1, 0);
  CHECK(ranks[0]->wait() == 1);
  CHECK(ranks[0]->output().find("the loss is NaN or Inf") != std::string::npos);

  folder.write("spec.toml", spec(""));
  ranks = start_ranks(folder.path(), 1, 1);
  CHECK(ranks[0]->wait() == 0);
  INFO(ranks[0]->output());
  CHECK(ranks[0]->output().find("done: 3 steps") != std::string::npos);
}

TEST_CASE("a run interrupted within an epoch ends bitwise equal to an uninterrupted one") {
  // Dropout included: the random numbers of a step depend only on its position.
  const TempFolder whole;
  whole.write("spec.toml", quick_spec(2, "[train]\nepochs = 3\n"));
  const std::string expected = train_to_the_end(whole, 0);
  REQUIRE(expected.size() == 16);

  const TempFolder parts;
  parts.write("spec.toml", quick_spec(2, "[train]\nepochs = 3\nmax_steps = 27\n"));
  const std::string early = train_to_the_end(parts, 0);
  CHECK(early != expected);
  CHECK(std::filesystem::exists(parts.path() / "checkpoints" / "stop_step_000027.pt"));
  parts.write("spec.toml", quick_spec(2, "[train]\nepochs = 3\n[checkpoint]\nresume = \"auto\"\n"));
  CHECK(train_to_the_end(parts, 0 + 10) == expected);

  // A restarted attempt resumes automatically: here from the last epoch, with nothing left to do.
  parts.write("spec.toml", quick_spec(2, "[train]\nepochs = 3\n"));
  CHECK(train_to_the_end(parts, 11) == expected);
}

TEST_CASE("the trainer refuses a checkpoint of another model with exit code 2") {
  const TempFolder folder;
  folder.write("spec.toml", quick_spec(1, "[train]\nmax_steps = 2\n"));
  {
    auto ranks = start_ranks(folder.path(), 1, 0);
    REQUIRE(ranks[0]->wait() == 0);
  }
  const auto saved = stop_resume_checkpoints(folder).front().string();
  folder.write("spec.toml",
               quick_spec(1, "[model]\nclasses = 12\n[checkpoint]\nresume = \"" + saved + "\"\n"));
  auto ranks = start_ranks(folder.path(), 1, 1);
  CHECK(ranks[0]->wait() == 2);
}
