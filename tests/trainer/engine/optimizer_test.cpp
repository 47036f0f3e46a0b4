#include "trainer/engine/optimizer.h"

#include <torch/torch.h>

#include "tests/support/catch.h"

using ringside::engine::Sgd;

namespace {

std::vector<at::Tensor> some_parameters() {
  torch::manual_seed(3);
  return {torch::randn({7, 5}), torch::randn({11}), torch::randn({2, 3, 4})};
}

}  // namespace

TEST_CASE("the fused optimizer does what torch.optim.SGD does") {
  ringside::messages::OptimizerSpec spec;
  spec.weight_decay = 1e-3;
  spec.momentum = GENERATE(0.0, 0.9);
  spec.nesterov = spec.momentum > 0.0 && GENERATE(false, true);
  auto ours = some_parameters();
  auto theirs = some_parameters();
  for (auto& parameter : theirs) parameter.requires_grad_(true);
  torch::optim::SGD reference(theirs, torch::optim::SGDOptions(0.1)
                                          .momentum(spec.momentum)
                                          .weight_decay(spec.weight_decay)
                                          .nesterov(spec.nesterov));
  Sgd sgd(ours, spec);
  for (int step = 0; step < 6; ++step) {
    std::vector<at::Tensor> gradients;
    for (auto& parameter : theirs) {
      gradients.push_back(torch::randn_like(parameter));
      parameter.mutable_grad() = gradients.back().clone();
    }
    const double rate = step < 3 ? 0.1 : 0.01;
    for (auto& group : reference.param_groups())
      static_cast<torch::optim::SGDOptions&>(group.options()).lr(rate);
    sgd.step(gradients, rate);
    reference.step();
  }
  for (std::size_t i = 0; i < ours.size(); ++i) CHECK(at::allclose(ours[i], theirs[i], 1e-6, 1e-7));
}

TEST_CASE("saved momentum goes on where it was") {
  ringside::messages::OptimizerSpec spec;
  auto whole = some_parameters();
  auto halves = some_parameters();
  const std::vector<at::Tensor> gradients = some_parameters();
  Sgd uninterrupted(whole, spec);
  CHECK(uninterrupted.momentum().empty());
  for (int step = 0; step < 4; ++step) uninterrupted.step(gradients, 0.1);
  Sgd first(halves, spec);
  for (int step = 0; step < 2; ++step) first.step(gradients, 0.1);
  Sgd second(halves, spec);
  second.set_momentum(first.momentum());
  for (int step = 0; step < 2; ++step) second.step(gradients, 0.1);
  for (std::size_t i = 0; i < whole.size(); ++i) CHECK(at::equal(whole[i], halves[i]));
}
