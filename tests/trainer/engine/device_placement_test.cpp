#include "trainer/engine/device_placement.h"

#include <torch/torch.h>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::engine;

TEST_CASE("threads: the environment, then the spec, then a share of the cores") {
  CHECK(choose_threads("3", 5, 2) == 3);
  CHECK(choose_threads(nullptr, 5, 2) == 5);
  CHECK(choose_threads("", 5, 2) == 5);
  CHECK(choose_threads("many", 5, 2) == 5);
  CHECK(choose_threads(nullptr, 0, 100'000) == 1);
}

TEST_CASE(
    "asking for CUDA where there is none is refused with the reason, and auto takes CPU slots") {
  const cuda::CudaModule none{nullptr, "no NVIDIA driver on this machine"};
  const auto refused = choose_placement("cuda", none, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kRequest);
  CHECK(refused.error().message.find("no NVIDIA driver") != std::string::npos);
  const auto placement = choose_placement("auto", none, {});
  REQUIRE(placement);
  CHECK_FALSE(placement->on_cuda());
  CHECK(placement->uuid == "cpu");
  CHECK(placement->versions.find("torch 2.") == 0);
}

TEST_CASE("a batch on a CPU slot is the loader's own memory") {
  std::vector<float> pixels(2 * 3 * 4, 0.5F);
  std::vector<std::int64_t> labels = {1, 0};
  data::Dataset dataset;
  dataset.channels = 1;
  dataset.height = 3;
  dataset.width = 4;
  const data::Batch batch{pixels.data(), labels.data(), 2, 0};
  const auto [images, targets] = to_device(batch, dataset, DevicePlacement{}, true);
  CHECK(images.sizes() == at::IntArrayRef({2, 1, 3, 4}));
  CHECK(images.const_data_ptr() == pixels.data());
  CHECK(targets.const_data_ptr() == labels.data());
}
