#include "trainer/engine/loop/device_batch.h"

#include <array>

#include <torch/torch.h>

namespace ringside::engine {

ImagesAndLabels on_host(const data::Batch& batch, const data::Dataset& dataset) {
  const std::array shape = {batch.size, dataset.channels, dataset.height, dataset.width};
  const at::Tensor images = batch.bytes != nullptr ? at::from_blob(batch.bytes, shape, at::kByte)
                                                   : at::from_blob(batch.images, shape, at::kFloat);
  return {images, at::from_blob(batch.labels, {batch.size}, at::kLong)};
}

Normalize::Normalize(const data::Dataset& dataset, at::Device device)
    : white_(torch::tensor(255.0F).to(device)),
      mean_(torch::tensor(dataset.mean).view({1, -1, 1, 1}).to(device)),
      std_(torch::tensor(dataset.std).view({1, -1, 1, 1}).to(device)) {}

// Three operations, each rounded once, like ToTensor and Normalize. The divisor must be a tensor on
// the device: for a host scalar CUDA's kernel multiplies by the reciprocal, which gives a different
// float for 126 of the 256 byte values.
at::Tensor Normalize::operator()(const at::Tensor& bytes) const {
  const at::NoGradGuard no_grad;
  return at::div(bytes, white_).sub_(mean_).div_(std_);
}

}  // namespace ringside::engine
