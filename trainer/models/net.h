// What make_model puts behind AnyModel, and the builders of the networks. Internal to this folder.
#pragma once

#include <torch/torch.h>

#include <array>
#include <functional>
#include <memory>

#include "trainer/models/model.h"

namespace ringside::models {

struct AnyModel::Net {
  std::shared_ptr<torch::nn::Module> module;
  std::function<at::Tensor(const at::Tensor&)> forward;
  bool log_probabilities =
      false;  ///< the output went through log-softmax: NLL instead of cross entropy
};

/// Conv 1->10 k5, max-pool, ReLU; conv 10->20 k5, Dropout2d, max-pool, ReLU; 320->50, ReLU;
/// 50->classes; log-softmax over dimension 1. Takes 1 x 28 x 28.
std::shared_ptr<AnyModel::Net> build_convnet(std::int64_t classes);

/// LeNet-5 as the tutorials of PyTorch write it: conv channels->6 k5, ReLU, max-pool; conv 6->16
/// k5, ReLU, max-pool; features->120->84->classes with ReLU between.
std::shared_ptr<AnyModel::Net> build_lenet(std::int64_t classes, const InputShape& input);

struct ResNetPlan {
  std::array<int, 4> blocks{};  ///< of the four layers
  bool bottleneck = false;      ///< 1x1, 3x3, 1x1 to four times the width, instead of 3x3, 3x3
};

struct ResNetStem {
  std::int64_t kernel = 7;
  std::int64_t stride = 2;
  bool max_pool = true;
};

/// A residual network (He et al., 2015; the stride of a bottleneck in its 3x3 convolution) with
/// torchvision's names, order and initialisation.
std::shared_ptr<AnyModel::Net> build_resnet(const ResNetPlan& plan, const ResNetStem& stem,
                                            std::int64_t classes, std::int64_t channels,
                                            const NormFunction& over_ranks);

}  // namespace ringside::models
