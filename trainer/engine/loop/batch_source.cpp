#include "trainer/engine/loop/batch_source.h"

namespace ringside::engine {
namespace {

constexpr std::int64_t kGpuBatchesKept =
    StepRecorder::kMostAhead + 2;  ///< until the copy to a GPU is surely done

}  // namespace

data::LoaderOptions loader_options(const RankParts& parts, std::int64_t batch_size) {
  data::LoaderOptions options;
  options.batch_size = batch_size;
  options.workers = parts.spec.data.workers;
  options.seed = static_cast<std::uint64_t>(parts.spec.train.seed);
  options.buffers = batch_buffers(parts.placement);
  options.kept = parts.placement.on_cuda() ? kGpuBatchesKept : 1;
  return options;
}

Result<BatchSource> BatchSource::create(const RankParts& parts) {
  BatchSource source(parts);
  const data::LoaderOptions options = loader_options(parts, parts.facts.per_rank_batch);
  if (parts.spec.data.on_device) {
    auto data = DeviceData::create(parts.data.train, parts.placement.device, options.batch_size,
                                   options.seed);
    if (!data) return pass(data);
    source.device_data_.emplace(std::move(*data));
  } else {
    auto loader = data::Loader::create(parts.data.train, options);
    if (!loader) return pass(loader);
    source.loader_.emplace(std::move(*loader));
  }
  return source;
}

Result<void> BatchSource::start(std::span<const std::uint32_t> indices, Epoch epoch) {
  return device_data_ ? device_data_->start(indices, epoch) : loader_->start(indices, epoch);
}

Result<std::pair<at::Tensor, at::Tensor>> BatchSource::next(StepRecorder& recorder) {
  std::pair<at::Tensor, at::Tensor> on_device;
  if (device_data_) {
    auto batch = device_data_->next();
    if (!batch) return failure("the data ended before its epoch; this is a defect");
    on_device = std::move(*batch);
    recorder.mark(Mark::kDataReady);
  } else {
    const data::Batch* batch = loader_->next();
    if (batch == nullptr) {
      if (loader_->error()) return tl::unexpected<Error>(*loader_->error());
      return failure("the data loader ended before its epoch; this is a defect");
    }
    recorder.mark(Mark::kDataReady);
    on_device = to_device(*batch, parts_->data.train, parts_->placement, /*run_ahead=*/true);
  }
  recorder.mark(Mark::kOnDevice);
  return on_device;
}

}  // namespace ringside::engine
