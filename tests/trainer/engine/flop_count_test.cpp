#include "trainer/engine/flop_count.h"

#include <torch/torch.h>

#include "tests/support/catch.h"
#include "trainer/engine/autocast.h"

using namespace ringside::engine;
using Found = std::map<std::string, std::int64_t>;

TEST_CASE("a convolution and a linear layer count once forward and twice backward") {
  torch::nn::Conv2d convolution(torch::nn::Conv2dOptions(3, 8, 3).stride(2).padding(1).groups(1));
  torch::nn::Linear linear(8 * 4 * 4, 10);
  const at::Tensor images = torch::rand({5, 3, 8, 8});
  const std::int64_t forward = 2 * 5 * (8 * 4 * 4) * (3 * 3 * 3);
  const std::int64_t classes = 2 * 5 * (8 * 4 * 4) * 10;
  FlopCount count;
  const at::Tensor output = linear->forward(convolution->forward(images).flatten(1));
  CHECK(count.found() == Found{{"float32", forward + classes}});
  // Images need no gradient.
  output.sum().backward();
  CHECK(count.found() == Found{{"float32", 2 * forward + 3 * classes}});
}

TEST_CASE("a grouped and a transposed convolution are counted by their weights") {
  torch::nn::Conv2d grouped(torch::nn::Conv2dOptions(4, 8, 3).groups(2).bias(false));
  torch::nn::ConvTranspose2d transposed(torch::nn::ConvTranspose2dOptions(4, 6, 2).stride(2));
  const at::Tensor images = torch::rand({2, 4, 5, 5}, torch::requires_grad());
  {
    FlopCount count;
    grouped->forward(images).sum().backward();
    CHECK(count.found() == Found{{"float32", 3 * 2 * 2 * (8 * 3 * 3) * (2 * 3 * 3)}});
  }
  FlopCount count;
  transposed->forward(images).sum().backward();
  CHECK(count.found() == Found{{"float32", 3 * 2 * 2 * (4 * 5 * 5) * (6 * 2 * 2)}});
}

TEST_CASE("operations under autocast are counted once, in the type of the computation") {
  const at::Tensor left = torch::rand({4, 6});
  const at::Tensor right = torch::rand({6, 7});
  FlopCount count;
  {
    const AutocastScope autocast(at::kCPU, at::kBFloat16);
    (void)torch::mm(left, right);
  }
  CHECK(count.found() == Found{{"bfloat16", 2 * 4 * 6 * 7}});
}

TEST_CASE("a count begins at zero and ends with its scope") {
  const at::Tensor square = torch::rand({2, 3, 3});
  { const FlopCount before; }
  (void)torch::bmm(square, square);
  const FlopCount count;
  CHECK(count.found().empty());
  (void)torch::baddbmm(square, square, square);
  CHECK(count.found() == Found{{"float32", 2 * 2 * 3 * 3 * 3}});
}
