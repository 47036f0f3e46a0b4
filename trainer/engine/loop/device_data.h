// A whole set of small images as bytes in device memory, which are cropped, flipped and normalised
// there: the same batches as the loader's, without its threads and copies. Random choices are made
// on the host when an epoch begins, so that a batch is two small tensors of indices and always the
// same operations. Training thread only; the data set may be destroyed afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <ATen/core/Tensor.h>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "trainer/data/dataset.h"
#include "trainer/engine/loop/device_batch.h"

namespace ringside::engine {

class DeviceData {
 public:
  /// Bad request for images that are read from individual files or are resized.
  static Result<DeviceData> create(const data::Dataset& dataset, at::Device device,
                                   std::int64_t batch_size, std::uint64_t seed);

  /// Begins an epoch over these indices; crops and flips are the same as those of Loader::start().
  Result<void> start(std::span<const std::uint32_t> indices, Epoch epoch);
  /// The next batch, of which the last may be short; empty after it. Only enqueues. Its function
  /// refers to this object, which must not move.
  std::optional<DeviceBatch> next();

 private:
  explicit DeviceData(Normalize normalize) : normalize_(std::move(normalize)) {}
  ImagesAndLabels chosen(const at::Tensor& samples, const at::Tensor& windows) const;
  at::Tensor cut(const at::Tensor& bytes, const at::Tensor& windows) const;

  Normalize normalize_;
  at::Tensor images_;  ///< n x c x stored height x width, bytes
  at::Tensor labels_;
  data::TransformOptions transform_;
  data::Size stored_;
  data::Size output_;
  std::uint64_t seed_ = 0;
  std::int64_t batch_size_ = 1;
  at::Tensor order_;    ///< sample order of the epoch, on the device
  at::Tensor windows_;  ///< samples x (first row, first column, step of the columns)
  std::int64_t next_ = 0;
};

}  // namespace ringside::engine
