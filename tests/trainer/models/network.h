// Networks and images shared by the tests of this folder. Golden numbers: PyTorch 2.11.0 with one
// thread, the networks of torchvision 0.26, PyTorch's tutorials (LeNet) and the published ConvNet,
// torch.manual_seed(42), applied to counting_images().
#pragma once

#include <torch/torch.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "trainer/models/model.h"

namespace ringside::testing {

constexpr models::InputShape kDigits{1, 28, 28};
constexpr models::InputShape kColours{3, 32, 32};

inline models::AnyModel model_of(const std::string& name, const models::InputShape& input,
                                 const std::string& stem = "imagenet", std::int64_t classes = 10,
                                 std::uint64_t seed = 42) {
  at::set_num_threads(1);
  messages::ModelSpec spec;
  spec.name = name;
  spec.stem = stem;
  spec.classes = classes;
  auto model = models::make_model(spec, input, seed);
  if (!model) FAIL(model.error().message);
  return *model;
}

/// Pixel i is i % 251 / 251 - 0.5.
inline at::Tensor counting_images(std::int64_t count, const models::InputShape& s) {
  const at::Tensor numbers = torch::arange(count * s.channels * s.height * s.width, torch::kLong);
  return ((numbers % 251).to(torch::kFloat) / 251 - 0.5)
      .view({count, s.channels, s.height, s.width});
}

inline at::Tensor evaluated(models::AnyModel& model, const models::InputShape& input) {
  const torch::NoGradGuard no_grad;
  model.set_training(false);
  return model.forward(counting_images(2, input));
}

template <std::size_t N>
void check_equal(const at::Tensor& found, const std::array<float, N>& golden) {
  const at::Tensor flat = found.flatten().contiguous();
  REQUIRE(flat.numel() == static_cast<std::int64_t>(N));
  for (std::size_t i = 0; i < N; ++i) {
    INFO(i);
    CHECK(flat.data_ptr<float>()[i] == Approx(golden[i]).epsilon(1e-4).margin(2e-5));
  }
}

inline std::vector<std::string> names_of(const models::NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

}  // namespace ringside::testing
