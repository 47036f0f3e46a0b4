#include <csignal>

#include <nlohmann/json.hpp>

#include "protocol/host/files.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/engine/rank_process.h"

using namespace ringside;
using testing::quick_spec;
using testing::RankProcess;
using testing::start_ranks;

TEST_CASE("two ranks train to the end and have the same parameters") {
  const TempFolder folder;
  folder.write("spec.toml", quick_spec(2, "[train]\nepochs = 2\n"));
  auto ranks = start_ranks(folder.path(), 2, 0);
  CHECK(ranks[0]->wait() == 0);
  CHECK(ranks[1]->wait() == 0);
  CHECK(ranks[0]->output().find("epoch 2/2  validate") != std::string::npos);
  CHECK(ranks[0]->output().find("parameters equal on all ranks") != std::string::npos);
  CHECK(ranks[0]->output().find("  100 samples") != std::string::npos);
  CHECK(std::filesystem::exists(folder.path() / "checkpoints" / "epoch_002.pt"));
  CHECK(std::filesystem::file_size(folder.path() / "attempt_0" / "rank_1" / "output") < 200);
}

TEST_CASE("a single process trains without a group") {
  const TempFolder folder;
  folder.write("one.toml", quick_spec(1, "[train]\nepochs = 1\n"));
  RankProcess alone({"--spec", (folder.path() / "one.toml").string()}, {},
                    folder.path() / "output");
  CHECK(alone.wait() == 0);
  CHECK(alone.output().find("done: 20 steps") != std::string::npos);
}

TEST_CASE("R3: a rank that dies is noticed by the other within a second, and both report it") {
  const TempFolder folder;
  folder.write("spec.toml", quick_spec(2, "[train]\nepochs = 100000\n"));
  auto ranks = start_ranks(folder.path(), 2, 0);
  REQUIRE(ranks[0]->says("epoch 1/100000  validate"));
  ranks[1]->signal(SIGKILL);
  CHECK(ranks[1]->wait() == 128 + SIGKILL);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(ranks[0]->wait() == 1);
  // Noticed within 70 ms on an idle machine; the bound leaves room for a busy one.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  CHECK(ranks[0]->output().find("rank 0: another rank left in the middle of training") !=
        std::string::npos);
  const auto error = read_text(folder.path() / "attempt_0" / "rank_0" / "error.json");
  REQUIRE(error);
  const auto message = nlohmann::json::parse(*error)["message"]["message"].get<std::string>();
  CHECK(message.find("another rank left") == 0);
}

TEST_CASE("wrong requests end with code 2 and advice") {
  const TempFolder folder;
  folder.write("two.toml", quick_spec(2));
  folder.write("typo.toml", "[train]\nepoch = 3\n");
  folder.write("cuda.toml", quick_spec(1) + "[devices.x]\n");
  const auto run = [&](const std::vector<std::string>& arguments) {
    RankProcess process(arguments, {}, folder.path() / "output");
    const auto code = process.wait();
    return std::to_string(code.value_or(-1)) + " " + process.output();
  };
  CHECK(
      run({"--spec", (folder.path() / "two.toml").string()}).find("2 the spec asks for 2 ranks") ==
      0);
  CHECK(run({"--spec", (folder.path() / "typo.toml").string()}).find("epochs") !=
        std::string::npos);
  CHECK(run({"--spec", (folder.path() / "missing.toml").string()}).find("2 ") == 0);
  CHECK(run({}).find("2 give either") == 0);
  CHECK(run({"--spec", "a.toml", "--run-dir", "b"}).find("2 give either") == 0);
  CHECK(run({"--no-such-option"}).find("2 ") == 0);
  CHECK(run({"--version"}).find("0 ringside-trainer") == 0);
}

TEST_CASE(
    "the trainer prints the GPUs for which its LibTorch was built, and nothing without a driver") {
  const TempFolder folder;
  RankProcess trainer({"--cuda-code"}, {}, folder.path() / "output");
  CHECK(trainer.wait() == 0);
  const std::string code = trainer.output();
  INFO(code);
  const bool can_say = std::filesystem::exists("/dev/nvidiactl") &&
                       std::filesystem::exists(testing::bin_dir() / "ringside-trainer-cuda.so");
  CHECK(code.empty() == !can_say);
  CHECK(code.starts_with("sm_") == can_say);
}
