#include "trainer/engine/grad_norm.h"

#include <cmath>

#include <torch/torch.h>

#include "tests/support/catch.h"

using namespace ringside::engine;

TEST_CASE("the norm covers all tensors together") {
  const std::vector<at::Tensor> two = {torch::full({3}, 2.0F), torch::full({2, 2}, -3.0F)};
  CHECK(l2_norm(two).item<float>() == Approx(std::sqrt(3.0 * 4.0 + 4.0 * 9.0)));
  CHECK(l2_norm({two[0]}).item<float>() == Approx(std::sqrt(12.0)));
  CHECK(l2_norm({}).item<float>() == 0.0F);
}

TEST_CASE("measuring takes at most its share of the time") {
  MeasuringSchedule rhythm;
  CHECK(rhythm.due());
  // 1 ms in a step of 20 ms is 5 %, so measuring in one step of ten takes half a per cent.
  rhythm.measured(1'000'000, 20'000'000);
  CHECK(rhythm.interval() == 10);
  int measured = 0;
  for (int step = 0; step < 100; ++step) measured += rhythm.due() ? 1 : 0;
  CHECK(measured == 10);
  // A slow measurement is an outlier, a fast one shows the true cost.
  rhythm.measured(4'000'000, 20'000'000);
  CHECK(rhythm.interval() == 10);
  rhythm.measured(1'000, 0);
  CHECK(rhythm.interval() == 10);
  rhythm.measured(1'000, 20'000'000);
  CHECK(rhythm.interval() == 1);
  CHECK(rhythm.due());
}

TEST_CASE("measuring is never postponed beyond the maximum interval") {
  MeasuringSchedule rhythm;
  rhythm.measured(1'000'000'000, 1);
  CHECK(rhythm.interval() == MeasuringSchedule::kLongest);
}
