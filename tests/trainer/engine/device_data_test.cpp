#include "trainer/engine/loop/device_data.h"

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "trainer/data/loader.h"

using namespace ringside;
using engine::DeviceData;

namespace {

data::Dataset device_data_generated() {
  data::Dataset set;
  set.name = "generated";
  set.count = 11;
  set.channels = 3;
  set.stored = {8, 8};
  set.height = 8;
  set.width = 8;
  set.mean = {0.1F, 0.2F, 0.3F};
  set.std = {0.5F, 0.6F, 0.7F};
  for (std::size_t i = 0; i < 11 * 3 * 64; ++i)
    set.images.push_back(static_cast<std::uint8_t>(i * 37 % 251));
  for (std::int64_t i = 0; i < set.count; ++i) set.labels.push_back(i % 10);
  return set;
}

}  // namespace

TEST_CASE("a set on the device gives the loader's batches, crops and flips included") {
  data::Dataset set = device_data_generated();
  if (GENERATE(false, true)) {
    set.transform.crop = 6;
    set.transform.padding = 2;
    set.transform.random_place = true;
    set.transform.flip = true;
    set.height = set.width = 6;
  }
  const std::vector<std::uint32_t> indices = {3, 0, 10, 7, 7, 1, 2};
  data::LoaderOptions options;
  options.batch_size = 3;
  options.workers = 0;
  options.seed = 42;
  auto loader = data::Loader::create(set, options);
  REQUIRE(loader);
  auto on_device = DeviceData::create(set, at::kCPU, 3, 42);
  REQUIRE(on_device);
  for (const Epoch epoch : {0, 1}) {
    REQUIRE(loader->start(indices, epoch));
    REQUIRE(on_device->start(indices, epoch));
    for (const std::int64_t size : {3, 3, 1}) {
      const auto [images, labels] = engine::on_host(*loader->next(), set);
      const auto batch = on_device->next();
      REQUIRE(batch);
      REQUIRE(batch->size() == size);
      const auto [made, its_labels] = batch->ready();
      CHECK(at::equal(made, images));
      CHECK(at::equal(its_labels, labels));
      // Prepared from a copy of the tensors, as in a recorded step.
      std::vector<at::Tensor> copies;
      for (const at::Tensor& tensor : batch->tensors) copies.push_back(tensor.clone());
      CHECK(at::equal(batch->prepare(copies).first, images));
    }
    CHECK_FALSE(on_device->next());
  }
}

TEST_CASE("sets that are not stored in memory, and indices outside the set, are refused") {
  data::Dataset set = device_data_generated();
  auto on_device = DeviceData::create(set, at::kCPU, 3, 0);
  REQUIRE(on_device);
  const std::vector<std::uint32_t> outside = {11};
  CHECK_FALSE(on_device->start(outside, 0));
  set.transform.resize = 4;
  CHECK(DeviceData::create(set, at::kCPU, 3, 0).error().message.find("on_device") !=
        std::string::npos);
  set.transform.resize = 0;
  set.images.clear();
  CHECK_FALSE(DeviceData::create(set, at::kCPU, 3, 0));
}
