// A batch on the device of this rank. The remaining processing of its images is a function that
// only enqueues the same operations each time, so that a CUDA graph can record it.
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
  std::vector<at::Tensor> tensors;  ///< on the device, each with first dimension n
  /// Turns `tensors`, or others of the same shapes, into images and labels; empty when they already
  /// are.
  std::function<ImagesAndLabels(const std::vector<at::Tensor>&)> prepare = {};

  std::int64_t size() const { return tensors.front().size(0); }
  ImagesAndLabels ready() const {
    return prepare ? prepare(tensors) : ImagesAndLabels(tensors[0], tensors[1]);
  }
};

/// Images (floats or bytes) and labels of a batch in the loader's memory.
ImagesAndLabels on_host(const data::Batch& batch, const data::Dataset& dataset);

/// Converts bytes to the same floats as the loader, bit for bit, on any device.
class Normalize {
 public:
  Normalize(const data::Dataset& dataset, at::Device device);
  /// Shape n x c x h x w.
  at::Tensor operator()(const at::Tensor& bytes) const;

 private:
  at::Tensor white_;  ///< 255 as a float on the device
  at::Tensor mean_;   ///< 1 x c x 1 x 1
  at::Tensor std_;
};

}  // namespace ringside::engine
