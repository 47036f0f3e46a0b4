// A batch on the device of this rank. What remains to be done to its images there is a function
// that only enqueues, and always the same, so that a graph can record it.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "trainer/data/dataset.h"
#include "trainer/data/loader.h"

namespace ringside::engine {

/// Images (n x c x h x w, float) and labels (n).
using ImagesAndLabels = std::pair<at::Tensor, at::Tensor>;

struct DeviceBatch {
  std::vector<at::Tensor> tensors;  ///< with a first dimension of n, on the device
  /// Makes images and labels of `tensors`, or of others like them; empty: they are these already.
  std::function<ImagesAndLabels(const std::vector<at::Tensor>&)> prepare = {};

  std::int64_t size() const { return tensors.front().size(0); }
  ImagesAndLabels ready() const {
    return prepare ? prepare(tensors) : ImagesAndLabels(tensors[0], tensors[1]);
  }
};

/// Images, as floats or as bytes, and labels of a batch where the loader has them.
ImagesAndLabels on_host(const data::Batch& batch, const data::Dataset& dataset);

/// Bytes to the floats of the loader, to the last bit, on whatever device.
class Normalize {
 public:
  Normalize(const data::Dataset& dataset, at::Device device);
  /// n x c x h x w.
  at::Tensor operator()(const at::Tensor& bytes) const;

 private:
  at::Tensor white_;  ///< 255, one float on the device
  at::Tensor mean_;   ///< 1 x c x 1 x 1
  at::Tensor std_;
};

}  // namespace ringside::engine
