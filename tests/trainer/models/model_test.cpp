#include "tests/trainer/models/network.h"

using namespace ringside;
using namespace ringside::testing;
using models::AnyModel;
using models::InputShape;

namespace {

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

TEST_CASE("ConvNet gives the same output as in Python") {
  AnyModel model = model_of("convnet", kDigits);
  check_equal(
      evaluated(model, kDigits),
      std::array{-2.288519F, -2.418381F, -2.388583F, -2.317404F, -2.230148F, -2.200546F, -2.190661F,
                 -2.264033F, -2.354324F, -2.405247F, -2.292437F, -2.404523F, -2.378887F, -2.323973F,
                 -2.232131F, -2.209157F, -2.189704F, -2.260108F, -2.355383F, -2.409113F});
  model.set_training(true);
  torch::manual_seed(7);  // whole channels are dropped, the same ones as in Python
  check_equal(model.forward(counting_images(2, kDigits))[0].detach(),
              std::array{-2.284843F, -2.409216F, -2.379268F, -2.328912F, -2.211661F, -2.207394F,
                         -2.190942F, -2.273478F, -2.346544F, -2.426623F});
}

TEST_CASE("LeNet gives the same output as in the tutorials, on digits and on color images") {
  AnyModel digits = model_of("lenet", kDigits);
  CHECK(digits.parameter_count() == 44'426);
  CHECK(names_of(digits.state()) == std::vector<std::string>{"conv1.weight", "conv1.bias",
                                                             "conv2.weight", "conv2.bias",
                                                             "fc1.weight", "fc1.bias", "fc2.weight",
                                                             "fc2.bias", "fc3.weight", "fc3.bias"});
  check_equal(evaluated(digits, kDigits),
              std::array{0.1024144F,  0.04208529F, 0.0374114F,  0.1053853F,   -0.09821992F,
                         0.03552383F, 0.03347505F, 0.02778619F, -0.06795992F, 0.02629515F,
                         0.1047909F,  0.04158824F, 0.03243569F, 0.1011767F,   -0.08875193F,
                         0.04216781F, 0.03429428F, 0.02616169F, -0.06083852F, 0.0244651F});
  AnyModel colours = model_of("lenet", kColours);
  CHECK(colours.parameter_count() == 62'006);
  check_equal(evaluated(colours, kColours),
              std::array{0.04474571F,  -0.02486735F, 0.05504824F, 0.03364399F, 0.1026689F,
                         -0.1005235F,  0.09129643F,  0.07520982F, -0.1054632F, 0.0840824F,
                         0.03960954F,  -0.01538758F, 0.05935114F, 0.0311375F,  0.103382F,
                         -0.09608696F, 0.09608898F,  0.08447511F, -0.1030766F, 0.08763191F});
  CHECK(evaluated(digits, kDigits).sizes() == at::IntArrayRef({2, 10}));
}

TEST_CASE("the number of classes and of colors can be chosen") {
  AnyModel wide = model_of("resnet18", kColours, "imagenet", 1000);
  CHECK(wide.parameter_count() == 11'689'512);
  AnyModel large = model_of("lenet", {3, 64, 48}, "imagenet", 100);
  CHECK(evaluated(large, {3, 64, 48}).sizes() == at::IntArrayRef({2, 100}));
  AnyModel grey = model_of("resnet18", kDigits, "cifar", 7);
  CHECK(evaluated(grey, kDigits).sizes() == at::IntArrayRef({2, 7}));
}

TEST_CASE("the seed alone determines the weights") {
  const auto weights = [](std::uint64_t seed) {
    return model_of("convnet", kDigits, "imagenet", 10, seed).named_parameters()[0].second.detach();
  };
  CHECK(weights(1).equal(weights(1)));
  CHECK_FALSE(weights(1).equal(weights(2)));
}

TEST_CASE("each network has its loss, as mean and as sum") {
  const at::Tensor labels = torch::tensor({3, 8}, torch::kLong);
  for (const std::string name : {"convnet", "lenet", "resnet18"}) {
    const bool is_convnet = name == "convnet";
    const InputShape input = is_convnet ? kDigits : kColours;
    AnyModel model = model_of(name, input);
    const at::Tensor output = evaluated(model, input);
    const at::Tensor log_probabilities = is_convnet ? output : torch::log_softmax(output, 1);
    const double by_hand =
        -log_probabilities[0][3].item<double>() - log_probabilities[1][8].item<double>();
    CHECK(model.loss_sum(output, labels).item<double>() == Approx(by_hand));
    CHECK(model.loss(output, labels).item<double>() == Approx(by_hand / 2));
    CHECK(model.loss(output.to(torch::kBFloat16), labels).scalar_type() == torch::kFloat);
  }
}

TEST_CASE("gradients reach every parameter of a network") {
  for (const std::string network : {"convnet", "lenet", "resnet18", "resnet34", "resnet50"}) {
    INFO(network);
    const InputShape input = network == "convnet" ? kDigits : kColours;
    AnyModel model = model_of(network, input, "cifar_stride2");
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

TEST_CASE("a network refuses unsupported images and settings") {
  messages::ModelSpec spec;
  CHECK(refusal_of(spec, kColours) == ErrorKind::kRequest);
  spec.classes = 0;
  CHECK(refusal_of(spec, kDigits) == ErrorKind::kRequest);
  spec = {};
  spec.name = "vgg16";
  CHECK(refusal_of(spec, kColours) == ErrorKind::kRequest);
  spec.name = "lenet";
  CHECK(refusal_of(spec, {3, 15, 32}) == ErrorKind::kRequest);
  CHECK(refusal_of(spec, {3, 32, 15}) == ErrorKind::kRequest);
  CHECK(refusal_of(spec, {0, 32, 32}) == ErrorKind::kRequest);
  spec.sync_batchnorm = true;
  CHECK(refusal_of(spec, kColours) == ErrorKind::kRequest);
  spec.sync_batchnorm = false;
  spec.name = "resnet18";
  spec.stem = "tiny";
  CHECK(refusal_of(spec, kColours) == ErrorKind::kRequest);
  spec.stem = "cifar";
  CHECK(refusal_of(spec, {3, 0, 32}) == ErrorKind::kRequest);
}
