// Golden numbers: PyTorch 2.11.0 with one thread, the networks as torchvision and the published
// ConvNet write them, torch.manual_seed(42), fed with counting_images().
#include "trainer/models/model.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>

#include "tests/support/catch.h"

using namespace ringside;
using models::AnyModel;
using models::InputShape;

namespace {

constexpr InputShape kDigits{1, 28, 28};
constexpr InputShape kColours{3, 32, 32};

AnyModel model_of(const std::string& name, const InputShape& input,
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

// Pixel i is i % 251 / 251 - 0.5.
at::Tensor counting_images(std::int64_t count, const InputShape& s) {
  const at::Tensor numbers = torch::arange(count * s.channels * s.height * s.width, torch::kLong);
  return ((numbers % 251).to(torch::kFloat) / 251 - 0.5)
      .view({count, s.channels, s.height, s.width});
}

at::Tensor evaluated(AnyModel& model, const InputShape& input) {
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

std::vector<std::string> names_of(const models::NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

ErrorKind refusal_of(const messages::ModelSpec& spec, const InputShape& input) {
  const auto model = models::make_model(spec, input, 0);
  REQUIRE_FALSE(model);
  return model.error().kind;
}

}  // namespace

TEST_CASE("ConvNet has the published 21,840 parameters under the published names") {
  const AnyModel model = model_of("convnet", kDigits);
  CHECK(model.parameter_count() == 21'840);
  CHECK(names_of(model.named_parameters()) ==
        std::vector<std::string>{"conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias",
                                 "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"});
  CHECK(model.named_buffers().empty());
  CHECK(names_of(model.state()) == names_of(model.named_parameters()));
}

TEST_CASE("ConvNet computes what Python's computes") {
  AnyModel model = model_of("convnet", kDigits);
  check_equal(
      evaluated(model, kDigits),
      std::array{-2.288519F, -2.418381F, -2.388583F, -2.317404F, -2.230148F, -2.200546F, -2.190661F,
                 -2.264033F, -2.354324F, -2.405247F, -2.292437F, -2.404523F, -2.378887F, -2.323973F,
                 -2.232131F, -2.209157F, -2.189704F, -2.260108F, -2.355383F, -2.409113F});
  model.set_training(true);
  torch::manual_seed(7);  // whole channels drop out, the same ones as in Python
  check_equal(model.forward(counting_images(2, kDigits))[0].detach(),
              std::array{-2.284843F, -2.409216F, -2.379268F, -2.328912F, -2.211661F, -2.207394F,
                         -2.190942F, -2.273478F, -2.346544F, -2.426623F});
}

TEST_CASE("ResNet-18 computes what torchvision's computes") {
  AnyModel model = model_of("resnet18", kColours);
  CHECK(model.parameter_count() == 11'181'642);
  check_equal(evaluated(model, kColours),
              std::array{-0.04043467F, 0.01824559F,    -0.09933424F, 0.03629564F,  -0.1062899F,
                         -0.1879016F,  -2.483092e-05F, -0.1057736F,  -0.04924332F, -0.01595213F,
                         -0.06818001F, 0.04272864F,    -0.1240256F,  0.04760236F,  -0.0529821F,
                         -0.1817924F,  0.008691737F,   -0.08346911F, -0.03548911F, 0.03379515F});
}

TEST_CASE("ResNet-18 with the stem for small images") {
  AnyModel model = model_of("resnet18", kColours, "cifar");
  CHECK(model.parameter_count() == 11'173'962);
  check_equal(evaluated(model, kColours),
              std::array{-0.01603086F,  0.1669602F, 0.2181486F,  -0.1443752F,  0.3295802F,
                         0.1514434F,    0.2460968F, -0.1326333F, -0.1012139F,  0.008721433F,
                         -0.007378797F, 0.15369F,   0.2272996F,  -0.08818348F, 0.3948728F,
                         0.1547765F,    0.273174F,  -0.095137F,  -0.1376F,     -0.03612394F});
}

TEST_CASE("ResNet-18 has torchvision's names in torchvision's order") {
  const AnyModel model = model_of("resnet18", kColours);
  const auto names = names_of(model.state());
  CHECK(model.named_parameters().size() == 62);
  CHECK(names.size() == 122);
  CHECK(std::vector<std::string>(names.begin(), names.begin() + 9) ==
        std::vector<std::string>{"conv1.weight", "bn1.weight", "bn1.bias", "bn1.running_mean",
                                 "bn1.running_var", "bn1.num_batches_tracked",
                                 "layer1.0.conv1.weight", "layer1.0.bn1.weight",
                                 "layer1.0.bn1.bias"});
  const auto at = std::find(names.begin(), names.end(), "layer2.0.downsample.0.weight");
  REQUIRE(at != names.end());
  CHECK(*(at - 1) == "layer2.0.bn2.num_batches_tracked");
  CHECK(*(at + 1) == "layer2.0.downsample.1.weight");
  CHECK(names.back() == "fc.bias");
  CHECK(std::count_if(names.begin(), names.end(), [](const std::string& name) {
          return name.find("downsample") != std::string::npos;
        }) == 18);
}

TEST_CASE("the number of classes and of colours is free") {
  AnyModel wide = model_of("resnet18", kColours, "imagenet", 1000);
  CHECK(wide.parameter_count() == 11'689'512);
  AnyModel grey = model_of("resnet18", kDigits, "cifar", 7);
  CHECK(evaluated(grey, kDigits).sizes() == at::IntArrayRef({2, 7}));
}

TEST_CASE("the seed alone decides the weights") {
  const auto weights = [](std::uint64_t seed) {
    return model_of("convnet", kDigits, "imagenet", 10, seed).named_parameters()[0].second.detach();
  };
  CHECK(weights(1).equal(weights(1)));
  CHECK_FALSE(weights(1).equal(weights(2)));
}

TEST_CASE("each network has its loss, as mean and as sum") {
  const at::Tensor labels = torch::tensor({3, 8}, torch::kLong);
  for (const bool is_convnet : {true, false}) {
    const InputShape input = is_convnet ? kDigits : kColours;
    AnyModel model = model_of(is_convnet ? "convnet" : "resnet18", input);
    const at::Tensor output = evaluated(model, input);
    const at::Tensor log_probabilities = is_convnet ? output : torch::log_softmax(output, 1);
    const double by_hand =
        -log_probabilities[0][3].item<double>() - log_probabilities[1][8].item<double>();
    CHECK(model.loss_sum(output, labels).item<double>() == Approx(by_hand));
    CHECK(model.loss(output, labels).item<double>() == Approx(by_hand / 2));
    CHECK(model.loss(output.to(torch::kBFloat16), labels).scalar_type() == torch::kFloat);
  }
}

TEST_CASE("a network learns: gradients reach every parameter") {
  for (const bool is_convnet : {true, false}) {
    const InputShape input = is_convnet ? kDigits : kColours;
    AnyModel model = model_of(is_convnet ? "convnet" : "resnet18", input);
    model.set_training(true);
    const at::Tensor labels = torch::tensor({1, 2, 3, 4}, torch::kLong);
    model.loss(model.forward(counting_images(4, input)), labels).backward();
    for (const auto& [name, parameter] : model.named_parameters()) {
      INFO(name);
      REQUIRE(parameter.grad().defined());
      CHECK(torch::isfinite(parameter.grad()).all().item<bool>());
    }
    CHECK(model.named_parameters()[0].second.grad().abs().sum().item<double>() > 0.0);
  }
}

TEST_CASE("training moves the batch statistics, evaluation does not") {
  AnyModel model = model_of("resnet18", kColours);
  const at::Tensor mean = model.named_buffers()[0].second;
  evaluated(model, kColours);
  CHECK(mean.abs().sum().item<double>() == 0.0);
  model.set_training(true);
  model.forward(counting_images(2, kColours));
  CHECK(mean.abs().sum().item<double>() > 0.0);
}

TEST_CASE("what a network cannot take is refused") {
  messages::ModelSpec spec;
  CHECK(refusal_of(spec, kColours) == ErrorKind::kRequest);
  spec.classes = 0;
  CHECK(refusal_of(spec, kDigits) == ErrorKind::kRequest);
  spec = {};
  spec.name = "resnet50";
  CHECK(refusal_of(spec, kColours) == ErrorKind::kRequest);
  spec.name = "resnet18";
  spec.stem = "tiny";
  CHECK(refusal_of(spec, kColours) == ErrorKind::kRequest);
  spec.stem = "cifar";
  CHECK(refusal_of(spec, {3, 0, 32}) == ErrorKind::kRequest);
}
