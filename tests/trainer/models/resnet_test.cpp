#include <algorithm>

#include "tests/trainer/models/network.h"

using namespace ringside;
using namespace ringside::testing;
using models::AnyModel;

TEST_CASE("ResNet-18 gives the same output as torchvision's") {
  AnyModel model = model_of("resnet18", kColours);
  CHECK(model.parameter_count() == 11'181'642);
  check_equal(evaluated(model, kColours),
              std::array{-0.04043467F, 0.01824559F,    -0.09933424F, 0.03629564F,  -0.1062899F,
                         -0.1879016F,  -2.483092e-05F, -0.1057736F,  -0.04924332F, -0.01595213F,
                         -0.06818001F, 0.04272864F,    -0.1240256F,  0.04760236F,  -0.0529821F,
                         -0.1817924F,  0.008691737F,   -0.08346911F, -0.03548911F, 0.03379515F});
}

TEST_CASE("ResNet-18 with the stem for small images gives the expected output") {
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

TEST_CASE("training moves the batch statistics, evaluation does not") {
  AnyModel model = model_of("resnet18", kColours);
  const at::Tensor mean = model.named_buffers()[0].second;
  evaluated(model, kColours);
  CHECK(mean.abs().sum().item<double>() == 0.0);
  model.set_training(true);
  model.forward(counting_images(2, kColours));
  CHECK(mean.abs().sum().item<double>() > 0.0);
}

TEST_CASE("ResNet-34 with the published stem of stride 2 gives the same output as torchvision's") {
  AnyModel model = model_of("resnet34", kColours, "cifar_stride2");
  CHECK(model.parameter_count() == 21'282'122);
  CHECK(model.state().size() == 218);
  check_equal(evaluated(model, kColours),
              std::array{0.06843977F, -0.6967083F, -1.143865F, 0.1191087F,  0.05063638F,
                         -1.526329F,  -0.5848458F, -2.823781F, 0.3586694F,  1.177545F,
                         -0.0575763F, -0.7182031F, -1.029815F, -0.1713484F, 0.06740978F,
                         -1.493926F,  -0.5814773F, -2.569867F, 0.2973442F,  1.081406F});
}

TEST_CASE("ResNet-50 with 1000 classes gives the same output as torchvision's") {
  AnyModel model = model_of("resnet50", kColours, "imagenet", 1000);
  CHECK(model.parameter_count() == 25'557'032);
  CHECK(model.state().size() == 320);
  const at::Tensor logits = evaluated(model, kColours);
  CHECK(logits.sizes() == at::IntArrayRef({2, 1000}));
  check_equal(logits.narrow(1, 0, 10),
              std::array{0.9316516F,  0.1290942F,  0.4958488F, 1.222369F,    -0.2501576F,
                         -0.4345998F, -0.5285781F, 0.81438F,   0.1296296F,   -0.2909229F,
                         1.039886F,   0.18548F,    0.4903875F, 1.51574F,     -0.288533F,
                         -0.5811477F, -0.5484052F, 0.9314604F, -0.05338518F, -0.3662325F});
}

TEST_CASE("ResNet-50 with the stem for small images gives the expected output") {
  AnyModel model = model_of("resnet50", kColours, "cifar");
  CHECK(model.parameter_count() == 23'520'842);
  check_equal(evaluated(model, kColours),
              std::array{5.205522F, -0.7805823F, -0.7741466F, 0.2581031F,   -2.855553F,
                         4.261199F, 12.71766F,   -2.058678F,  0.01877412F,  -0.3523066F,
                         5.001737F, -0.7472886F, -0.8891258F, 0.3784182F,   -2.679299F,
                         4.056665F, 12.31422F,   -1.856349F,  -0.06180093F, -0.307245F});
}

TEST_CASE("ResNet-50 has torchvision's bottlenecks with three convolutions, then the shortcut") {
  const auto names = names_of(model_of("resnet50", kColours).state());
  const auto at = std::find(names.begin(), names.end(), "layer1.0.downsample.0.weight");
  REQUIRE(at != names.end());
  CHECK(*(at - 1) == "layer1.0.bn3.num_batches_tracked");
  CHECK(*(at + 6) == "layer1.1.conv1.weight");
  CHECK(std::count_if(names.begin(), names.end(), [](const std::string& name) {
          return name.find("downsample") != std::string::npos;
        }) == 4 * 6);
}

TEST_CASE("batch normalisation uses the given function only in training") {
  messages::ModelSpec spec;
  spec.name = "resnet18";
  spec.stem = "cifar";
  spec.sync_batchnorm = true;
  int calls = 0;
  const auto counted = [&calls](const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& bias, const at::Tensor& mean,
                                const at::Tensor& variance, double momentum, double eps) {
    ++calls;
    return at::batch_norm(x, weight, bias, mean, variance, true, momentum, eps, false);
  };
  auto model = models::make_model(spec, kColours, 42, counted);
  REQUIRE(model);
  AnyModel plain = model_of("resnet18", kColours, "cifar");
  CHECK(names_of(model->state()) == names_of(plain.state()));
  evaluated(*model, kColours);
  CHECK(calls == 0);
  for (AnyModel* one : {&*model, &plain}) one->set_training(true);
  const at::Tensor images = counting_images(2, kColours);
  CHECK(at::equal(model->forward(images), plain.forward(images)));
  CHECK(calls == 20);
  for (std::size_t i = 0; i < plain.named_buffers().size(); ++i) {
    CHECK(at::equal(model->named_buffers()[i].second, plain.named_buffers()[i].second));
  }
  spec.sync_batchnorm = false;  // then the function is not used
  auto without = models::make_model(spec, kColours, 42, counted);
  REQUIRE(without);
  without->set_training(true);
  without->forward(images);
  CHECK(calls == 20);
}
