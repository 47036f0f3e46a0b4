#include "trainer/models/net.h"
#include "trainer/models/pool.h"

namespace ringside::models {
namespace {

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

}  // namespace

std::shared_ptr<AnyModel::Net> build_convnet(std::int64_t classes) {
  auto module = std::make_shared<ConvNet>(classes);
  auto forward = [net = module.get()](const at::Tensor& images) { return net->forward(images); };
  return std::make_shared<AnyModel::Net>(
      AnyModel::Net{std::move(module), std::move(forward), true});
}

}  // namespace ringside::models
