// What make_model puts behind AnyModel, and the builders of the networks. Internal to this folder.
#pragma once

#include <torch/torch.h>

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

/// ResNet-18 (He et al., 2015) with torchvision's names and initialisation. `cifar_stem`: 3x3
/// stride 1 and no max-pool instead of 7x7 stride 2 and max-pool.
std::shared_ptr<AnyModel::Net> build_resnet18(std::int64_t classes, std::int64_t channels,
                                              bool cifar_stem);

}  // namespace ringside::models
