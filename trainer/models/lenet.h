// LeNet-5 as in PyTorch's tutorials: conv channels->6 k5, ReLU, max-pool; conv 6->16 k5, ReLU,
// max-pool; features->120->84->classes with ReLU between. Included by model.cpp.
#pragma once

#include "trainer/models/net.h"
#include "trainer/models/pool.h"

namespace ringside::models {

struct LeNet : torch::nn::Module {
  LeNet(std::int64_t classes, std::int64_t channels, std::int64_t features)
      : conv1(register_module("conv1", torch::nn::Conv2d(channels, 6, 5))),
        conv2(register_module("conv2", torch::nn::Conv2d(6, 16, 5))),
        fc1(register_module("fc1", torch::nn::Linear(features, 120))),
        fc2(register_module("fc2", torch::nn::Linear(120, 84))),
        fc3(register_module("fc3", torch::nn::Linear(84, classes))) {}

  at::Tensor forward(const at::Tensor& images) {
    // Max-pooling and ReLU can be exchanged.
    at::Tensor x = pooled_relu(conv1(images));
    x = pooled_relu(conv2(x));
    x = fc1(x.flatten(1)).relu_();
    return fc3(fc2(x).relu_());
  }

  torch::nn::Conv2d conv1, conv2;
  torch::nn::Linear fc1, fc2, fc3;
};

inline std::shared_ptr<AnyModel::Net> build_lenet(const NetRequest& request) {
  // Side length after a 5 x 5 convolution and 2 x 2 pooling, twice.
  const auto shrunk = [](std::int64_t side) { return ((side - 4) / 2 - 4) / 2; };
  const std::int64_t features = 16 * shrunk(request.input.height) * shrunk(request.input.width);
  return make_net(std::make_shared<LeNet>(request.spec.classes, request.input.channels, features));
}

}  // namespace ringside::models
