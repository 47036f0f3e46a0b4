#include "trainer/models/pool.h"

#include <limits>

#include "tests/trainer/models/network.h"

using namespace ringside;
using models::pooled_relu;

namespace {

// Few distinct values, so that many windows have two equal maxima; a third is negative.
at::Tensor images(at::IntArrayRef shape, at::MemoryFormat format) {
  auto generator = at::detail::createCPUGenerator(11);
  return (at::randint(-3, 6, shape, generator, at::TensorOptions().dtype(at::kFloat)) / 4)
      .contiguous(format);
}

struct Pooled {
  at::Tensor output, gradient;
};

template <class Function>
Pooled run(const Function& function, const at::Tensor& x, const at::Tensor& output_gradient) {
  const at::Tensor input = x.detach().clone().requires_grad_();
  const at::Tensor output = function(input);
  output.backward(output_gradient);
  return {output.detach(), input.grad()};
}

void compare(const at::Tensor& x) {
  const auto atens = [](const at::Tensor& t) { return at::relu(at::max_pool2d(t, 2)); };
  const at::Tensor gradient = at::arange(atens(x).numel(), at::kFloat).view_as(atens(x)) - 20;
  const Pooled found = run(pooled_relu, x, gradient.to(x.scalar_type()));
  const Pooled expected = run(atens, x, gradient.to(x.scalar_type()));
  CHECK(found.output.equal(expected.output));
  CHECK(found.gradient.equal(expected.gradient));
  CHECK(found.output.is_contiguous(x.suggest_memory_format()));
}

}  // namespace

TEST_CASE("pooling and ReLU in one pass are bitwise equal to ATen's, forward and backward") {
  for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    compare(images({3, 10, 24, 24}, format));
    compare(images({2, 3, 8, 4}, format));
    compare(images({1, 5, 2, 2}, format));
    compare(images({4, 6, 6, 10}, format).narrow(0, 1, 2));
  }
}

TEST_CASE("odd sides, other types and batches without images use ATen's pooling") {
  compare(images({2, 3, 5, 7}, at::MemoryFormat::Contiguous));
  compare(images({2, 3, 4, 4}, at::MemoryFormat::Contiguous).to(at::kDouble));
  CHECK(pooled_relu(at::empty({0, 3, 4, 4})).sizes() == at::IntArrayRef({0, 3, 2, 2}));
}

TEST_CASE("pooling works in inference mode, as in evaluation") {
  const at::Tensor x = images({2, 3, 6, 8}, at::MemoryFormat::ChannelsLast);
  const c10::InferenceMode inference;
  CHECK(pooled_relu(x).equal(at::relu(at::max_pool2d(x, 2))));
}

TEST_CASE("a NaN pixel stays NaN") {
  at::Tensor x = images({1, 2, 4, 4}, at::MemoryFormat::Contiguous);
  for (const std::int64_t row : {0, 1}) {
    for (const std::int64_t column : {2, 3}) {
      at::Tensor one = x.clone();
      one[0][1][row][column] = std::numeric_limits<float>::quiet_NaN();
      const at::Tensor output = pooled_relu(one);
      CHECK(at::isnan(output).sum().item<std::int64_t>() == 1);
      CHECK(at::isnan(output[0][1][0][1]).item<bool>());
    }
  }
}
