#include "trainer/engine/loop/evaluate.h"

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/support/fake_cuda.h"

using namespace ringside;
using namespace ringside::engine;

namespace {

constexpr std::int64_t kCount = 100;

// Noise with labels; the network is not trained, so some answers are correct by chance.
data::Dataset noise() {
  data::Dataset set;
  set.name = "noise";
  set.count = kCount;
  set.channels = 1;
  set.height = set.width = 28;
  set.stored = {28, 28};
  set.classes = 10;
  set.mean = {0.5F};
  set.std = {0.5F};
  set.images.resize(static_cast<std::size_t>(kCount) * 28 * 28);
  std::uint32_t state = 1;
  for (auto& byte : set.images) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(state >> 24U);
  }
  for (std::int64_t i = 0; i < kCount; ++i) set.labels.push_back(i % 10);
  return set;
}

struct EvaluateRig {
  EvaluateRig() {
    torch::set_num_threads(1);
    messages::ModelSpec spec;
    model.emplace(*models::make_model(spec, {1, 28, 28}, 5));
    feed.emplace(std::move(*BatchFeed::create(set, options, {}, watch)));
  }
  PassResult pass(const std::string& mode, Rank rank, std::int64_t ranks, const GoOn& go_on = {}) {
    const auto shard = core::evaluation_shard(mode, kCount, rank, ranks);
    const auto result = evaluate(*model, *feed, shard, at::kCPU, at::kFloat, go_on);
    REQUIRE(result);
    return *result;
  }
  PassResult sum(const std::string& mode, std::int64_t ranks) {
    PassResult all;
    for (Rank rank = 0; rank < ranks; ++rank) {
      const auto one = pass(mode, rank, ranks);
      all.sums.loss_sum += one.sums.loss_sum;
      all.sums.correct += one.sums.correct;
      all.sums.counted += one.sums.counted;
      all.padded += one.padded;
      all.padded_correct += one.padded_correct;
    }
    return all;
  }
  data::Dataset set = noise();
  FeedOptions options{16};
  dist::ProcessGroups solo;
  dist::CollectiveWatch watch{solo, std::chrono::hours(1)};
  std::optional<models::AnyModel> model;
  std::optional<BatchFeed> feed;
};

}  // namespace

TEST_CASE("exact, padded and rank0 give the same result for every sample counted once") {
  EvaluateRig rig;
  const auto exact = rig.sum("exact", 3);
  const auto alone = rig.sum("rank0", 3);
  const auto padded = rig.sum("padded", 3);
  CHECK(exact.sums.counted == kCount);
  CHECK(exact.padded == 0);
  CHECK(alone.sums.counted == kCount);
  CHECK(alone.sums.correct == exact.sums.correct);
  CHECK(alone.sums.loss_sum == Approx(exact.sums.loss_sum).epsilon(1e-6));
  CHECK(padded.sums.counted == 102);
  CHECK(padded.padded == 2);
  CHECK(padded.sums.correct - padded.padded_correct == exact.sums.correct);
}

TEST_CASE("correct answers on repeats are counted separately, wherever a batch ends") {
  EvaluateRig rig;
  // The first samples are evaluated one by one.
  std::vector<std::int64_t> right;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto one = evaluate(*rig.model, *rig.feed, {{i}, 0}, at::kCPU, at::kFloat);
    REQUIRE(one);
    right.push_back(one->sums.correct);
  }
  for (Rank rank = 1; rank < 3; ++rank) {
    const auto padded = rig.pass("padded", rank, 3);
    CHECK(padded.sums.counted == 34);
    CHECK(padded.padded == 1);
    CHECK(padded.padded_correct == right[static_cast<std::size_t>(rank - 1)]);
  }
  // A whole batch of repeats: 100 samples over 99 ranks with two each, all second ones but one.
  const auto second = rig.pass("padded", 98, 99);
  CHECK(second.sums.counted == 2);
  CHECK(second.padded == 1);
}

TEST_CASE("an evaluation ends early on request") {
  EvaluateRig rig;
  int batches = 0;
  const auto part = rig.pass("rank0", 0, 1, [&] { return ++batches < 3; });
  CHECK(part.sums.steps == 3);
  CHECK(part.sums.counted == 48);
  CHECK(rig.pass("exact", 0, 1).sums.counted == kCount);
}

TEST_CASE("a rank without a share counts nothing") {
  EvaluateRig rig;
  const auto nothing = rig.pass("rank0", 1, 2);
  CHECK(nothing.sums.counted == 0);
  CHECK(nothing.sums.correct == 0);
  CHECK(nothing.sums.loss_sum == 0.0);
}

namespace {

/// A device that is as fast as its host, and counts how often it is polled.
class CountingStream final : public cuda::CopyStream {
 public:
  explicit CountingStream(std::int64_t& asked) : asked_(asked) {}
  void copy(const at::Tensor& to, const at::Tensor& from) override { to.copy_(from); }
  void record(Lane, std::size_t) override {}
  void wait(Lane, std::size_t) override {}
  bool done(std::size_t) override { return ++asked_ > 0; }

 private:
  std::int64_t& asked_;
};

}  // namespace

TEST_CASE(
    "a GPU counts the same as a CPU slot, and is polled for no batch until memory is reused") {
  EvaluateRig rig;
  const auto expected = rig.pass("padded", 2, 3);
  std::int64_t asked = 0;
  testing::FakeCuda cuda;
  cuda.copy_stream = [&](std::size_t) { return std::make_unique<CountingStream>(asked); };
  DevicePlacement gpu;
  gpu.cuda = &cuda;
  rig.options.memory = {10, 4};
  rig.feed.emplace(std::move(*BatchFeed::create(rig.set, rig.options, gpu, rig.watch)));
  const auto found = rig.pass("padded", 2, 3);
  CHECK(found.sums.loss_sum == expected.sums.loss_sum);
  CHECK(found.sums.correct == expected.sums.correct);
  CHECK(found.padded_correct == expected.padded_correct);
  CHECK(asked == 10);  // before the pass: whether the memory of earlier batches is free
}
