#include "trainer/engine/loop/batch_feed.h"

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "tests/support/fake_cuda.h"
#include "tests/trainer/engine/fake_lanes.h"

using namespace ringside;
using namespace ringside::engine;
using testing::FakeLanes;

namespace {

/// All byte values occur in every channel.
data::Dataset generated(bool augmented) {
  data::Dataset set;
  set.name = "generated";
  set.count = 13;
  set.channels = 3;
  set.stored = {16, 16};
  set.height = set.width = 16;
  set.mean = {0.4914F, 0.4822F, 0.4465F};
  set.std = {0.2470F, 0.2435F, 0.2616F};
  for (std::size_t i = 0; i < 13 * 3 * 256; ++i)
    set.images.push_back(static_cast<std::uint8_t>(i * 37));
  for (std::int64_t i = 0; i < set.count; ++i) set.labels.push_back(i % 10);
  if (!augmented) return set;
  set.transform = {0, 14, 2, true, true};
  set.height = set.width = 14;
  return set;
}

FeedOptions options_of(std::int64_t workers, core::BatchMemory memory) {
  return {4, workers, 42, memory};
}

std::vector<std::uint32_t> some_order() { return {3, 0, 12, 7, 7, 1, 2, 11, 5, 4}; }

}  // namespace

TEST_CASE("bytes normalised on the device are bitwise the loader's floats") {
  const data::Dataset set = generated(GENERATE(false, true));
  const std::int64_t workers = GENERATE(0, 2);
  const dist::ProcessGroups solo;
  const dist::CollectiveWatch watch(solo, std::chrono::hours(1));
  auto plain = BatchFeed::create(set, options_of(workers, {1, workers}), {}, watch);
  REQUIRE(plain);
  FakeLanes lanes(7);
  testing::FakeCuda cuda;
  cuda.copy_stream = [&](std::size_t events) {
    return std::make_unique<testing::FakeCopyStream>(lanes, events);
  };
  DevicePlacement gpu;
  gpu.cuda = &cuda;
  auto copied = BatchFeed::create(set, options_of(workers, {2, workers}), gpu, watch);
  REQUIRE(copied);

  std::vector<ImagesAndLabels> expected;
  std::vector<ImagesAndLabels> found;
  for (const Epoch epoch : {0, 1}) {
    REQUIRE(plain->start(some_order(), epoch));
    REQUIRE(copied->start(some_order(), epoch));
    for (;;) {
      const data::Batch* batch = plain->read().value();
      const data::Batch* bytes = copied->read().value();
      REQUIRE((batch == nullptr) == (bytes == nullptr));
      if (batch == nullptr) break;
      const auto [images, labels] = plain->bring(*batch).ready();
      CHECK(images.const_data_ptr() == batch->images);
      expected.emplace_back(images.clone(), labels.clone());
      const DeviceBatch brought = copied->bring(*bytes);
      CHECK(brought.size() == batch->size);
      lanes.compute([&found, brought] {
        const auto [made, its_labels] = brought.ready();
        found.emplace_back(made, its_labels.clone());
      });
    }
  }
  lanes.finish();
  REQUIRE(found.size() == 6);
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(at::equal(found[i].first, expected[i].first));
    CHECK(at::equal(found[i].second, expected[i].second));
  }
}

TEST_CASE("a GPU's batches take the planned page-locked memory, one byte per pixel") {
  const data::Dataset set = generated(false);
  const dist::ProcessGroups solo;
  const dist::CollectiveWatch watch(solo, std::chrono::hours(1));
  FakeLanes lanes(7);
  testing::FakeCuda cuda;
  cuda.copy_stream = [&](std::size_t events) {
    return std::make_unique<testing::FakeCopyStream>(lanes, events);
  };
  DevicePlacement gpu;
  gpu.cuda = &cuda;
  REQUIRE(BatchFeed::create(set, options_of(3, {2, 1}), gpu, watch));
  CHECK(cuda.pinned_bytes == 3 * 4 * (3 * 16 * 16 + 8));
}

TEST_CASE("an image that cannot be read, or is missing, is an error of the feed") {
  const data::Dataset set = generated(false);
  const dist::ProcessGroups solo;
  const dist::CollectiveWatch watch(solo, std::chrono::hours(1));
  auto feed = BatchFeed::create(set, options_of(0, {1, 0}), {}, watch);
  REQUIRE(feed);
  CHECK_FALSE(feed->start(std::vector<std::uint32_t>{13}));
}

TEST_CASE("a batch on a CPU slot is in the loader's own memory") {
  std::vector<float> pixels(2 * 3 * 4, 0.5F);
  std::vector<std::int64_t> labels = {1, 0};
  data::Dataset dataset;
  dataset.channels = 1;
  dataset.height = 3;
  dataset.width = 4;
  data::Batch batch;
  batch.images = pixels.data();
  batch.labels = labels.data();
  batch.size = 2;
  const auto [images, targets] = on_host(batch, dataset);
  CHECK(images.sizes() == at::IntArrayRef({2, 1, 3, 4}));
  CHECK(images.const_data_ptr() == pixels.data());
  CHECK(targets.const_data_ptr() == labels.data());
}
