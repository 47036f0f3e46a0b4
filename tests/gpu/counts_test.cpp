// Counts the GPU calls of a training step: an additional launch costs 5 us of host time, and a
// synchronisation stalls the GPU. The numbers hold for the LibTorch of cmake/lock; an intended
// change updates them here.
#include <set>

#include "tests/gpu/fake_gpus.h"
#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

/// Trace of each rank in 20 steps of ResNet-18, line by line.
std::vector<std::vector<std::string>> resnet18_lines(int ranks, const std::string& setting) {
  CliRig rig;
  FakeGpus gpus(ranks);
  gpus.set("FAKE_KERNEL_US", "0");  // keeps the host from running ahead
  const auto done =
      rig.ringside({"run", "shapes_resnet18", "--set", "devices.kind=cuda", "--set",
                    "devices.world_size=" + std::to_string(ranks), "--set", "baseline.mode=none",
                    "--set", "train.max_steps=20", "--set", setting});
  INFO(done.output);
  INFO(done.errors);
  REQUIRE(done.exit_code == 0);
  auto lines = gpus.traces();
  REQUIRE(lines.size() == static_cast<std::size_t>(ranks));
  return lines;
}

/// Lines of resnet18_lines() for each step of each rank; `end` as for steps_of().
std::vector<std::vector<std::string>> resnet18_steps(int ranks, const std::string& setting,
                                                     const std::string& end) {
  std::vector<std::vector<std::string>> steps;
  for (const auto& lines : resnet18_lines(ranks, setting)) steps.push_back(steps_of(lines, end));
  return steps;
}

/// Expects `asked` of the third step to step `last`; the steps before and after differ.
void check_each(const std::vector<std::string>& steps, std::size_t last, const std::string& asked) {
  REQUIRE(steps.size() > last + 1);
  for (std::size_t i = 2; i <= last; ++i) {
    CAPTURE(i);
    CHECK(steps[i] == asked);
  }
}

}  // namespace

TEST_CASE("a step of ResNet-18 is 195 launches, 3 copies and no synchronisation") {
  check_each(resnet18_steps(1, "train.precision=torch", "FusedSgdMath").front(), 19,
             "copy d2h 1, copy h2d 2, launch 195");
}

TEST_CASE("a step of ResNet-18 in bf16 is 282 launches, 3 copies and no synchronisation") {
  check_each(resnet18_steps(1, "train.precision=bf16", "FusedSgdMath").front(), 19,
             "copy d2h 1, copy h2d 2, launch 282");
}

TEST_CASE(
    "a recorded step of ResNet-18 is one replay besides its batch, its four events and its "
    "numbers") {
  check_each(resnet18_steps(1, "train.cuda_graph=true", "replay ").front(), 8,
             "copy d2d 2, copy d2h 1, copy h2d 2, launch 1, replace 4, replay 1");
}

TEST_CASE("a step of ResNet-18 on two GPUs is 67 launches and 3 collective calls more") {
  for (auto& steps : resnet18_steps(2, "train.precision=torch", "FusedSgdMath")) {
    // While a rank waits for the other, its host runs ahead and pins more memory ("pin").
    for (auto& step : steps) step = step.substr(0, step.find(", pin "));
    check_each(steps, 15, "collective 3, copy d2h 1, copy h2d 2, launch 262");
  }
}

TEST_CASE("the buckets of two GPUs are timed on one stream besides that of the training") {
  for (const auto& lines : resnet18_lines(2, "train.precision=torch")) {
    std::set<std::string> streams;
    for (const auto& line : lines)
      if (line.starts_with("moment ")) streams.insert(line);
    CHECK(streams.size() == 3);  // for training, for buckets, and for comparing clocks
  }
}

TEST_CASE("a recorded step of two GPUs has its buckets timed as well") {
  for (auto& steps : resnet18_steps(2, "train.cuda_graph=true", "replay ")) {
    const auto replaced = steps.at(2).find("replace ");
    REQUIRE(replaced != std::string::npos);
    const int moments = std::stoi(steps.at(2).substr(replaced + 8));
    CAPTURE(steps.at(2));
    CHECK(moments > 4);
    CHECK(moments % 2 == 0);  // two per bucket
  }
}
