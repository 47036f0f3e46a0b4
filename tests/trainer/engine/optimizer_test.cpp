#include "trainer/engine/optimizer.h"

#include <torch/torch.h>

#include "optimizer_golden.h"
#include "tests/support/catch.h"

using namespace ringside;
using engine::Optimizer;
using engine::OptimizerState;

namespace {

using Tensors = std::vector<at::Tensor>;

Tensors some_parameters() {
  return {at::arange(8, at::kFloat).view({2, 4}) / 8 - 0.5, at::arange(4, at::kFloat) / 4};
}

Tensors optimizer_gradients_of(const Tensors& parameters, int step) {
  Tensors gradients;
  for (const auto& parameter : parameters)
    gradients.push_back(at::sin(parameter + step / 10.0) + parameter / 10);
  return gradients;
}

void train(Optimizer& optimizer, const Tensors& parameters, int from, int to) {
  for (int step = from; step < to; ++step)
    optimizer.step(optimizer_gradients_of(parameters, step), step < 100 ? 0.1 : 0.01);
}

bool equal(const Tensors& left, const Tensors& right) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!at::equal(left[i], right[i])) return false;
  }
  return left.size() == right.size();
}

messages::OptimizerSpec named(const std::string& name) {
  messages::OptimizerSpec spec;
  spec.name = name;
  return spec;
}

}  // namespace

TEST_CASE("every update rule gives torch.optim's result after 200 steps") {
  for (const OptimizerGolden& golden : kOptimizerGolden) {
    const Tensors parameters = some_parameters();
    Optimizer optimizer(parameters, golden.optimizer);
    train(optimizer, parameters, 0, 200);
    const at::Tensor ends = at::cat({parameters[0].flatten(), parameters[1]});
    for (std::size_t i = 0; i < golden.ends.size(); ++i) {
      INFO(golden.optimizer.name << ", weight decay " << golden.optimizer.weight_decay
                                 << ", number " << i);
      CHECK(ends[static_cast<std::int64_t>(i)].item<float>() ==
            Approx(golden.ends[i]).epsilon(1e-6).margin(1e-6));
    }
  }
}

// The fused kernel is always used. With momentum its multiply-adds may round once where
// torch.optim.SGD, one operation at a time, rounds twice.
TEST_CASE("the fused SGD is bitwise equal to torch.optim's without momentum") {
  messages::OptimizerSpec spec = named("sgd");
  std::tie(spec.weight_decay, spec.momentum, spec.nesterov) =
      GENERATE(table<double, double, bool>({{0.0, 0.0, false},
                                            {5e-4, 0.0, false},
                                            {0.0, 0.9, false},
                                            {5e-4, 0.9, false},
                                            {5e-4, 0.9, true}}));
  auto generator = at::detail::createCPUGenerator(11);
  Tensors fused;
  Tensors plain;
  for (const std::int64_t size : {1, 7, 1000, 4097}) {
    fused.push_back(at::randn({size}, generator));
    plain.push_back(fused.back().clone().requires_grad_());
  }
  Optimizer optimizer(fused, spec);
  torch::optim::SGD reference(plain, torch::optim::SGDOptions(0.1)
                                         .momentum(spec.momentum)
                                         .weight_decay(spec.weight_decay)
                                         .nesterov(spec.nesterov));
  for (int step = 0; step < 50; ++step) {
    Tensors gradients;
    for (std::size_t i = 0; i < fused.size(); ++i) {
      gradients.push_back(at::randn(fused[i].sizes(), generator));
      plain[i].mutable_grad() = gradients[i].clone();
    }
    const double rate = 0.1 / (step + 1);
    static_cast<torch::optim::SGDOptions&>(reference.param_groups()[0].options()).lr(rate);
    optimizer.step(gradients, rate);
    reference.step();
  }
  if (spec.momentum == 0.0) CHECK(equal(fused, plain));
  for (std::size_t i = 0; i < fused.size(); ++i)
    CHECK(at::allclose(fused[i], plain[i], /*rtol=*/1e-6, /*atol=*/1e-6));
}

TEST_CASE("a learning rate on the device has the same effect as a number") {
  const std::string name = GENERATE("sgd", "adam", "adamw");
  const Tensors left = some_parameters();
  const Tensors right = some_parameters();
  Optimizer by_number(left, named(name));
  Optimizer by_tensor(right, named(name));
  for (int step = 0; step < 20; ++step) {
    by_number.step(optimizer_gradients_of(left, step), 0.05);
    by_tensor.step(optimizer_gradients_of(right, step), torch::tensor(0.05F));
  }
  for (std::size_t i = 0; i < left.size(); ++i) CHECK(at::allclose(left[i], right[i], 1e-5, 1e-6));
}

TEST_CASE("saved state continues where it was") {
  const std::string name = GENERATE("sgd", "adam", "adamw");
  const Tensors whole = some_parameters();
  const Tensors halves = some_parameters();
  Optimizer uninterrupted(whole, named(name));
  CHECK(uninterrupted.state().lists.empty());
  train(uninterrupted, whole, 0, 20);
  Optimizer first(halves, named(name));
  train(first, halves, 0, 10);
  const OptimizerState saved = first.state();
  CHECK(saved.lists.size() == (name == "sgd" ? 1 : 2));
  if (name != "sgd") CHECK(saved.steps == 10);
  Optimizer second(halves, named(name));
  REQUIRE(second.set_state(saved));
  train(second, halves, 10, 20);
  CHECK(equal(whole, halves));
}

TEST_CASE("overflowed gradients change nothing") {
  const std::string name = GENERATE("sgd", "adam", "adamw");
  const Tensors parameters = some_parameters();
  Optimizer optimizer(parameters, named(name));
  train(optimizer, parameters, 0, 3);
  const Tensors before = {parameters[0].clone(), parameters[1].clone()};
  Tensors gradients = optimizer_gradients_of(parameters, 3);
  gradients[0][0][0] = std::numeric_limits<float>::infinity();
  optimizer.step(gradients, 0.1, at::ones({1}));
  CHECK(equal(parameters, before));
  if (name != "sgd") CHECK(optimizer.state().steps == 3);
  // The next good gradients count as the fourth step.
  const Tensors others = {before[0].clone(), before[1].clone()};
  Optimizer untouched(others, named(name));
  REQUIRE(untouched.set_state(optimizer.state()));
  optimizer.step(optimizer_gradients_of(parameters, 4), 0.1, at::zeros({1}));
  untouched.step(optimizer_gradients_of(others, 4), 0.1);
  CHECK(equal(parameters, others));
}

TEST_CASE("state of another optimizer or of another network is refused") {
  const Tensors parameters = some_parameters();
  Optimizer sgd(parameters, named("sgd"));
  Optimizer adam(parameters, named("adam"));
  train(sgd, parameters, 0, 1);
  train(adam, parameters, 0, 1);
  CHECK(sgd.set_state(adam.state()).error().message.find("momentum_buffer") != std::string::npos);
  CHECK(adam.set_state(sgd.state()).error().message.find("optimizer.name = \"adam\"") !=
        std::string::npos);
  OptimizerState fewer = sgd.state();
  fewer.lists[0].second.pop_back();
  CHECK(sgd.set_state(fewer).error().message.find("of 1 parameters") != std::string::npos);
  OptimizerState other = sgd.state();
  other.lists[0].second[1] = at::zeros({5});
  CHECK(sgd.set_state(other).error().message.find("another shape") != std::string::npos);
  OptimizerState holes = sgd.state();
  holes.lists[0].second[0] = at::Tensor();
  CHECK_FALSE(sgd.set_state(holes));
  CHECK(sgd.set_state({}));
}

TEST_CASE("without momentum there is no state to save, and none is required") {
  messages::OptimizerSpec plain = named("sgd");
  plain.momentum = 0.0;
  const Tensors parameters = some_parameters();
  Optimizer optimizer(parameters, plain);
  train(optimizer, parameters, 0, 2);
  CHECK(optimizer.state().lists.empty());
  CHECK(optimizer.set_state({2, {{"momentum_buffer", some_parameters()}}}));
}
