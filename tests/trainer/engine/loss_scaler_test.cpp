#include "trainer/engine/loss_scaler.h"

#include <torch/torch.h>

#include "tests/support/catch.h"

using namespace ringside::engine;

namespace {

// One step with or without an overflow; returns whether the scaler detected it.
bool one_step(LossScaler& scaler, bool overflow) {
  const at::Tensor gradient = at::ones({3}) * scaler.scale();
  if (overflow) gradient[1] = std::numeric_limits<float>::infinity();
  scaler.unscale({gradient});
  if (!overflow) CHECK(at::allclose(gradient, at::ones({3})));
  const bool seen = scaler.found_inf().item<float>() != 0.0F;
  scaler.update();
  return seen;
}

}  // namespace

TEST_CASE("the scale doubles after enough good steps in a row and halves after an overflow") {
  LossScaler scaler(at::kCPU, /*growth_interval=*/3);
  CHECK(scaler.state().scale == 65536.0);
  CHECK_FALSE(one_step(scaler, false));
  CHECK_FALSE(one_step(scaler, false));
  CHECK(scaler.state().scale == 65536.0);
  CHECK(scaler.state().growth_tracker == 2);
  CHECK_FALSE(one_step(scaler, false));
  CHECK(scaler.state().scale == 131072.0);
  CHECK(scaler.state().growth_tracker == 0);
  CHECK_FALSE(one_step(scaler, false));
  CHECK(one_step(scaler, true));
  CHECK(scaler.state().scale == 65536.0);
  CHECK(scaler.state().growth_tracker == 0);
  CHECK_FALSE(one_step(scaler, false));
}

TEST_CASE("a NaN counts as an overflow") {
  LossScaler scaler(at::kCPU);
  const at::Tensor gradient = at::full({2}, std::numeric_limits<float>::quiet_NaN());
  scaler.unscale({at::ones({4}), gradient});
  CHECK(scaler.found_inf().item<float>() != 0.0F);
  scaler.unscale({at::ones({4})});
  CHECK(scaler.found_inf().item<float>() == 0.0F);
}

TEST_CASE("the loss is multiplied by the scale and its gradient is divided by it") {
  LossScaler scaler(at::kCPU);
  const at::Tensor weight = torch::tensor({2.0F}, at::TensorOptions().requires_grad(true));
  const at::Tensor loss = (weight * 3.0F).sum();
  const at::Tensor scaled = scaler.scaled(loss);
  CHECK(scaled.dim() == 0);
  CHECK(scaled.item<float>() == 6.0F * 65536.0F);
  scaled.backward();
  scaler.unscale({weight.grad()});
  CHECK(weight.grad().item<float>() == 3.0F);
}

TEST_CASE("a saved scaler continues, and a state without a scale is ignored") {
  LossScaler first(at::kCPU, 3);
  one_step(first, true);
  one_step(first, false);
  LossScaler second(at::kCPU, 3);
  second.set_state(first.state());
  CHECK(second.state().scale == 32768.0);
  CHECK(second.state().growth_tracker == 1);
  second.set_state({});
  CHECK(second.state().scale == 32768.0);
}
