#include "trainer/models/net.h"

namespace ringside::models {
namespace {

torch::nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

struct BasicBlockImpl : torch::nn::Module {
  // `shortcut` is built by the caller, before the block's own convolutions: random weights are
  // drawn in the order in which torchvision draws them.
  BasicBlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride,
                 torch::nn::Sequential shortcut)
      : conv1(register_module("conv1", conv(in, out, 3, stride))),
        bn1(register_module("bn1", torch::nn::BatchNorm2d(out))),
        conv2(register_module("conv2", conv(out, out, 3, 1))),
        bn2(register_module("bn2", torch::nn::BatchNorm2d(out))),
        downsample(std::move(shortcut)) {
    if (!downsample.is_empty()) register_module("downsample", downsample);
  }

  at::Tensor forward(const at::Tensor& x) {
    at::Tensor out = bn1(conv1(x)).relu_();
    out = bn2(conv2(out));
    out += downsample.is_empty() ? x : downsample->forward(x);
    return out.relu_();
  }

  torch::nn::Conv2d conv1;
  torch::nn::BatchNorm2d bn1;
  torch::nn::Conv2d conv2;
  torch::nn::BatchNorm2d bn2;
  torch::nn::Sequential downsample{nullptr};
};
TORCH_MODULE(BasicBlock);

torch::nn::Sequential make_layer(std::int64_t in, std::int64_t out, std::int64_t stride) {
  torch::nn::Sequential shortcut{nullptr};
  if (stride != 1 || in != out) {
    shortcut = torch::nn::Sequential(conv(in, out, 1, stride), torch::nn::BatchNorm2d(out));
  }
  torch::nn::Sequential layer;
  layer->push_back(BasicBlock(in, out, stride, shortcut));
  layer->push_back(BasicBlock(out, out, 1, torch::nn::Sequential{nullptr}));
  return layer;
}

struct ResNet18 : torch::nn::Module {
  ResNet18(std::int64_t classes, std::int64_t channels, bool is_cifar_stem)
      : cifar_stem(is_cifar_stem),
        conv1(register_module("conv1",
                              cifar_stem ? conv(channels, 64, 3, 1) : conv(channels, 64, 7, 2))),
        bn1(register_module("bn1", torch::nn::BatchNorm2d(64))),
        layer1(register_module("layer1", make_layer(64, 64, 1))),
        layer2(register_module("layer2", make_layer(64, 128, 2))),
        layer3(register_module("layer3", make_layer(128, 256, 2))),
        layer4(register_module("layer4", make_layer(256, 512, 2))),
        fc(register_module("fc", torch::nn::Linear(512, classes))) {
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* convolution = module->as<torch::nn::Conv2dImpl>()) {
        torch::nn::init::kaiming_normal_(convolution->weight, 0, torch::kFanOut, torch::kReLU);
      }
    }
  }

  at::Tensor forward(const at::Tensor& images) {
    at::Tensor x = bn1(conv1(images)).relu_();
    if (!cifar_stem) x = torch::max_pool2d(x, 3, 2, 1);
    x = layer4->forward(layer3->forward(layer2->forward(layer1->forward(x))));
    return fc(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

  bool cifar_stem;
  torch::nn::Conv2d conv1;
  torch::nn::BatchNorm2d bn1;
  torch::nn::Sequential layer1, layer2, layer3, layer4;
  torch::nn::Linear fc;
};

}  // namespace

std::shared_ptr<AnyModel::Net> build_resnet18(std::int64_t classes, std::int64_t channels,
                                              bool cifar_stem) {
  auto module = std::make_shared<ResNet18>(classes, channels, cifar_stem);
  auto forward = [net = module.get()](const at::Tensor& images) { return net->forward(images); };
  return std::make_shared<AnyModel::Net>(
      AnyModel::Net{std::move(module), std::move(forward), false});
}

}  // namespace ringside::models
