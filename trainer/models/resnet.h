// Residual networks (He et al., 2015; a bottleneck has its stride in the 3x3 convolution) with
// torchvision's names, order and initialisation. Included by model.cpp.
#pragma once

#include <array>

#include "trainer/models/net.h"
#include "trainer/models/norm.h"

namespace ringside::models {

using torch::nn::Sequential;

struct ResNetPlan {
  std::array<int, 4> blocks{};  ///< in each of the four layers
  bool bottleneck = false;      ///< 1x1, 3x3, 1x1 to four times the width, instead of 3x3, 3x3
};

inline torch::nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel,
                              std::int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// The parts of a block. The caller builds its shortcut before the block's own convolutions, so that
// random weights are drawn in torchvision's order.
struct BlockPlan {
  std::int64_t in = 0;
  std::int64_t width = 0;
  std::int64_t stride = 1;
  Sequential shortcut{nullptr};  ///< empty: the input itself
  NormFunction over_ranks;
};

struct BasicBlockImpl : torch::nn::Module {
  static constexpr std::int64_t kExpansion = 1;

  explicit BasicBlockImpl(const BlockPlan& plan)
      : conv1(register_module("conv1", conv(plan.in, plan.width, 3, plan.stride))),
        bn1(register_module("bn1", Norm(plan.width, plan.over_ranks))),
        conv2(register_module("conv2", conv(plan.width, plan.width, 3, 1))),
        bn2(register_module("bn2", Norm(plan.width, plan.over_ranks))),
        downsample(plan.shortcut) {
    if (!downsample.is_empty()) register_module("downsample", downsample);
  }

  at::Tensor forward(const at::Tensor& x) {
    at::Tensor out = bn1(conv1(x)).relu_();
    out = bn2(conv2(out));
    out += downsample.is_empty() ? x : downsample->forward(x);
    return out.relu_();
  }

  torch::nn::Conv2d conv1;
  Norm bn1;
  torch::nn::Conv2d conv2;
  Norm bn2;
  Sequential downsample{nullptr};
};
TORCH_MODULE(BasicBlock);

struct BottleneckImpl : torch::nn::Module {
  static constexpr std::int64_t kExpansion = 4;

  explicit BottleneckImpl(const BlockPlan& plan)
      : conv1(register_module("conv1", conv(plan.in, plan.width, 1, 1))),
        bn1(register_module("bn1", Norm(plan.width, plan.over_ranks))),
        conv2(register_module("conv2", conv(plan.width, plan.width, 3, plan.stride))),
        bn2(register_module("bn2", Norm(plan.width, plan.over_ranks))),
        conv3(register_module("conv3", conv(plan.width, plan.width * kExpansion, 1, 1))),
        bn3(register_module("bn3", Norm(plan.width * kExpansion, plan.over_ranks))),
        downsample(plan.shortcut) {
    if (!downsample.is_empty()) register_module("downsample", downsample);
  }

  at::Tensor forward(const at::Tensor& x) {
    at::Tensor out = bn1(conv1(x)).relu_();
    out = bn2(conv2(out)).relu_();
    out = bn3(conv3(out));
    out += downsample.is_empty() ? x : downsample->forward(x);
    return out.relu_();
  }

  torch::nn::Conv2d conv1;
  Norm bn1;
  torch::nn::Conv2d conv2;
  Norm bn2;
  torch::nn::Conv2d conv3;
  Norm bn3;
  Sequential downsample{nullptr};
};
TORCH_MODULE(Bottleneck);

// Consecutive blocks; `in` is set to the width of the last one's output.
template <class Block>
Sequential make_layer(std::int64_t& in, std::int64_t width, int blocks, std::int64_t stride,
                      const NormFunction& over_ranks) {
  const std::int64_t out = width * Block::Impl::kExpansion;
  Sequential layer;
  for (int i = 0; i < blocks; ++i) {
    BlockPlan plan{in, width, i == 0 ? stride : 1, Sequential{nullptr}, over_ranks};
    if (plan.stride != 1 || in != out) {
      plan.shortcut = Sequential(conv(in, out, 1, plan.stride), Norm(out, over_ranks));
    }
    layer->push_back(Block(plan));
    in = out;
  }
  return layer;
}

struct ResNet : torch::nn::Module {
  ResNet(const ResNetPlan& plan, const messages::StemDescriptor& stem, std::int64_t classes,
         std::int64_t channels, const NormFunction& over_ranks)
      : max_pool(stem.max_pool),
        conv1(register_module("conv1", conv(channels, 64, stem.kernel, stem.stride))),
        bn1(register_module("bn1", Norm(64, over_ranks))) {
    std::int64_t width = 64;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::int64_t planes = std::int64_t{64} << i;
      const std::int64_t stride = i == 0 ? 1 : 2;
      layers[i] = plan.bottleneck
                      ? make_layer<Bottleneck>(width, planes, plan.blocks[i], stride, over_ranks)
                      : make_layer<BasicBlock>(width, planes, plan.blocks[i], stride, over_ranks);
      register_module("layer" + std::to_string(i + 1), layers[i]);
    }
    fc = register_module("fc", torch::nn::Linear(width, classes));
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* convolution = module->as<torch::nn::Conv2dImpl>()) {
        torch::nn::init::kaiming_normal_(convolution->weight, 0, torch::kFanOut, torch::kReLU);
      }
    }
  }

  at::Tensor forward(const at::Tensor& images) {
    at::Tensor x = bn1(conv1(images)).relu_();
    if (max_pool) x = at::max_pool2d(x, 3, 2, 1);
    for (auto& layer : layers) x = layer->forward(x);
    return fc(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

  bool max_pool;
  torch::nn::Conv2d conv1;
  Norm bn1;
  std::array<Sequential, 4> layers{Sequential{nullptr}, Sequential{nullptr}, Sequential{nullptr},
                                   Sequential{nullptr}};
  torch::nn::Linear fc{nullptr};
};

inline std::shared_ptr<AnyModel::Net> build_resnet(const ResNetPlan& plan,
                                                   const NetRequest& request) {
  return make_net(std::make_shared<ResNet>(
      plan, *messages::find_stem(request.spec.stem), request.spec.classes, request.input.channels,
      request.spec.sync_batchnorm ? request.over_ranks : NormFunction{}));
}

}  // namespace ringside::models
