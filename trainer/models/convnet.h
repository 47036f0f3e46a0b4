// The ConvNet of PyTorch's MNIST example: conv 1->10 k5, max-pool, ReLU; conv 10->20 k5, Dropout2d,
// max-pool, ReLU; 320->50, ReLU; 50->classes; log-softmax. Takes 1 x 28 x 28. Included by
// model.cpp.
#pragma once

#include "trainer/models/net.h"
#include "trainer/models/pool.h"

namespace ringside::models {

struct ConvNet : torch::nn::Module {
  explicit ConvNet(std::int64_t classes)
      : conv1(register_module("conv1", torch::nn::Conv2d(1, 10, 5))),
        conv2(register_module("conv2", torch::nn::Conv2d(10, 20, 5))),
        conv2_drop(register_module("conv2_drop", torch::nn::Dropout2d())),
        fc1(register_module("fc1", torch::nn::Linear(320, 50))),
        fc2(register_module("fc2", torch::nn::Linear(50, classes))) {}

  at::Tensor forward(const at::Tensor& images) {
    at::Tensor x = pooled_relu(conv1(images));
    x = pooled_relu(conv2_drop(conv2(x)));
    x = fc1(x.flatten(1)).relu_();
    return at::log_softmax(fc2(x), 1);
  }

  torch::nn::Conv2d conv1, conv2;
  torch::nn::Dropout2d conv2_drop;
  torch::nn::Linear fc1, fc2;
};

inline std::shared_ptr<AnyModel::Net> build_convnet(const NetRequest& request) {
  return make_net(std::make_shared<ConvNet>(request.spec.classes), /*log_probabilities=*/true);
}

}  // namespace ringside::models
