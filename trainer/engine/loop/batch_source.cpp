#include "trainer/engine/loop/batch_source.h"

namespace ringside::engine {

FeedOptions feed_options(const RankParts& parts, std::int64_t batch_size) {
  return {batch_size, parts.spec.data.workers, static_cast<std::uint64_t>(parts.spec.train.seed),
          parts.batch_memory};
}

Result<BatchSource> BatchSource::create(const RankParts& parts,
                                        const dist::CollectiveWatch& watch) {
  BatchSource source;
  const FeedOptions options = feed_options(parts, parts.facts.per_rank_batch);
  if (parts.spec.data.on_device) {
    auto data = RINGSIDE_TRY(DeviceData::create(parts.data.train, parts.placement.device,
                                                options.batch_size, options.seed));
    source.device_data_.emplace(std::move(data));
  } else {
    auto feed = RINGSIDE_TRY(BatchFeed::create(parts.data.train, options, parts.placement, watch));
    source.feed_.emplace(std::move(feed));
  }
  return source;
}

Result<void> BatchSource::start(std::span<const std::uint32_t> indices, Epoch epoch) {
  return device_data_ ? device_data_->start(indices, epoch) : feed_->start(indices, epoch);
}

Result<DeviceBatch> BatchSource::next(StepRecorder& recorder) {
  if (device_data_) {
    auto batch = device_data_->next();
    if (!batch) return failure("the data ended before its epoch; this is a defect");
    recorder.mark(Mark::kDataReady);
    return std::move(*batch);
  }
  const auto batch = RINGSIDE_TRY(feed_->read());
  if (batch == nullptr) return failure("the data loader ended before its epoch; this is a defect");
  recorder.mark(Mark::kDataReady);
  return feed_->bring(*batch);
}

}  // namespace ringside::engine
