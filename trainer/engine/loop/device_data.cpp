#include "trainer/engine/loop/device_data.h"

#include <torch/torch.h>

namespace ringside::engine {

Result<DeviceData> DeviceData::create(const data::Dataset& dataset, at::Device device,
                                      std::int64_t batch_size, std::uint64_t seed) {
  if (dataset.images.empty() ||
      data::resized(dataset.transform, dataset.stored) != dataset.stored) {
    return bad_request(
        "data.on_device takes sets whose images lie in memory in their final size, "
        "and \"" +
        dataset.name + "\" is read from files or resized; leave it out");
  }
  const at::NoGradGuard no_grad;
  DeviceData made{Normalize(dataset, device)};
  const auto on_device = at::TensorOptions(device);
  const auto count = static_cast<std::int64_t>(dataset.labels.size());
  const std::vector<std::int64_t> shape = {count, dataset.channels, dataset.stored.height,
                                           dataset.stored.width};
  // Both are only read, which from_blob cannot express.
  made.images_ = at::empty(shape, at::kByte);
  std::copy(dataset.images.begin(), dataset.images.end(), made.images_.data_ptr<std::uint8_t>());
  made.images_ = made.images_.to(device);
  made.labels_ = torch::tensor(dataset.labels).to(device);
  made.transform_ = dataset.transform;
  made.stored_ = dataset.stored;
  made.output_ = {dataset.height, dataset.width};
  made.seed_ = seed;
  made.batch_size_ = batch_size;
  made.order_ = at::empty({0}, on_device.dtype(at::kLong));
  return made;
}

Result<void> DeviceData::start(std::span<const std::uint32_t> indices, Epoch epoch) {
  const auto count = static_cast<std::int64_t>(indices.size());
  at::Tensor order = at::empty({count}, at::kLong);
  at::Tensor windows = at::empty({count, 3}, at::kLong);
  auto* index = order.data_ptr<std::int64_t>();
  auto* window = windows.data_ptr<std::int64_t>();
  for (const std::uint32_t sample : indices) {
    if (sample >= images_.size(0)) {
      return bad_request("sample " + std::to_string(sample) + " is outside the " +
                         std::to_string(images_.size(0)) + " of the data set");
    }
    *index++ = sample;
    const data::Window at = data::window_of(transform_, stored_, output_, seed_,
                                            static_cast<std::uint64_t>(epoch), sample);
    *window++ = at.top + transform_.padding;
    *window++ = at.left + transform_.padding + (at.mirrored ? output_.width - 1 : 0);
    *window++ = at.mirrored ? -1 : 1;
  }
  order_ = order.to(images_.device());
  windows_ = windows.to(images_.device());
  next_ = 0;
  return {};
}

at::Tensor DeviceData::cut(const at::Tensor& bytes, const at::Tensor& windows) const {
  if (output_ == stored_ && transform_.padding == 0 && !transform_.flip) return bytes;
  const std::int64_t edge = transform_.padding;
  const at::Tensor framed = edge > 0 ? at::constant_pad_nd(bytes, {edge, edge, edge, edge}) : bytes;
  const auto integers = windows.options();
  const at::Tensor sample = at::arange(windows.size(0), integers).view({-1, 1, 1, 1});
  const at::Tensor channel = at::arange(bytes.size(1), integers).view({1, -1, 1, 1});
  const at::Tensor row = windows.select(1, 0).view({-1, 1, 1, 1}) +
                         at::arange(output_.height, integers).view({1, 1, -1, 1});
  const at::Tensor column = windows.select(1, 1).view({-1, 1, 1, 1}) +
                            windows.select(1, 2).view({-1, 1, 1, 1}) *
                                at::arange(output_.width, integers).view({1, 1, 1, -1});
  return framed.index({sample, channel, row, column});
}

ImagesAndLabels DeviceData::chosen(const at::Tensor& samples, const at::Tensor& windows) const {
  const at::NoGradGuard no_grad;
  return {normalize_(cut(images_.index_select(0, samples), windows)),
          labels_.index_select(0, samples)};
}

std::optional<DeviceBatch> DeviceData::next() {
  const std::int64_t size = std::min(batch_size_, order_.size(0) - next_);
  if (size <= 0) return std::nullopt;
  const std::int64_t begin = next_;
  next_ += size;
  return DeviceBatch{
      {order_.narrow(0, begin, size), windows_.narrow(0, begin, size)},
      [this](const std::vector<at::Tensor>& tensors) { return chosen(tensors[0], tensors[1]); }};
}

}  // namespace ringside::engine
