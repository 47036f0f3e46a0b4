// A whole set of small images in the memory of the device, as bytes, cut, mirrored and normalised
// there: the same batches as the loader's, without its threads and copies. What chance decides is
// decided on the host when an epoch begins, so that a batch is two small tensors of numbers and
// what is always done with them. Training thread only; the data set may go once it is made.
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
  /// Bad request for images that are read from files one by one, or are resized.
  static Result<DeviceData> create(const data::Dataset& dataset, at::Device device,
                                   std::int64_t batch_size, std::uint64_t seed);

  /// Begins an epoch over these indices; crops and flips as Loader::start() chooses them.
  Result<void> start(std::span<const std::uint32_t> indices, Epoch epoch);
  /// The next batch, the last one short; nothing after it. Enqueued only. Its function uses this
  /// object where it stands.
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
  at::Tensor order_;    ///< of the epoch, on the device
  at::Tensor windows_;  ///< samples x (first row, first column, step of the columns)
  std::int64_t next_ = 0;
};

}  // namespace ringside::engine
