#include "trainer/engine/data_parallel.h"

#include <torch/torch.h>

#include "tests/support/catch.h"

using namespace ringside;
using engine::DataParallel;

namespace {

Result<models::AnyModel> network(std::uint64_t seed) {
  messages::ModelSpec spec;
  spec.name = "lenet";
  return models::make_model(spec, {1, 28, 28}, seed);
}

std::vector<at::Tensor> gradients_of(const models::AnyModel& model) {
  std::vector<at::Tensor> gradients;
  for (const auto& [name, parameter] : model.named_parameters())
    gradients.push_back(parameter.grad().clone());
  return gradients;
}

}  // namespace

TEST_CASE("copies of a network on several devices give the gradient of the whole batch") {
  auto whole = *network(3);
  auto first = *network(3);
  // The copies begin with other weights, but the first network's are used.
  auto parallel =
      DataParallel::create(first, [] { return network(9); }, {at::kCPU, at::kCPU, at::kCPU});
  REQUIRE(parallel);
  torch::manual_seed(1);
  // 7 images are split into 3, 3 and 1; 2 images leave a device without any.
  for (const std::int64_t size : {7, 2, 1}) {
    const at::Tensor images = torch::randn({size, 1, 28, 28});
    const at::Tensor labels = torch::randint(10, {size}, at::kLong);
    for (auto* model : {&whole, &first}) {
      for (const auto& [name, parameter] : model->named_parameters())
        parameter.mutable_grad().reset();
    }
    const at::Tensor loss = whole.loss(whole.forward(images), labels);
    loss.backward();
    const at::Tensor output = (*parallel)->forward(images, at::kFloat);
    REQUIRE(output.size(0) == size);
    const at::Tensor same = first.loss(output, labels);
    same.backward();
    (*parallel)->collect_gradients();
    CHECK(same.item<float>() == Approx(loss.item<float>()));
    const auto expected = gradients_of(whole);
    const auto found = gradients_of(first);
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(at::allclose(found[i], expected[i], 1e-4, 1e-6));
  }
}

TEST_CASE("an exception on a device is passed on, and a copy that cannot be built is reported") {
  auto first = *network(3);
  const auto failed = DataParallel::create(
      first, []() -> Result<models::AnyModel> { return failure("no room"); }, {at::kCPU, at::kCPU});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "no room");
  CHECK_FALSE(DataParallel::create(first, [] { return network(1); }, {}));
  auto parallel = DataParallel::create(first, [] { return network(1); }, {at::kCPU, at::kCPU});
  REQUIRE(parallel);
  CHECK_THROWS((*parallel)->forward(torch::randn({4, 3, 28, 28}), at::kFloat));
}
