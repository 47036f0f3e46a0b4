#include "trainer/engine/loop/batch_feed.h"

#include <ATen/ATen.h>

#include "trainer/cuda/cuda_api.h"

namespace ringside::engine {

data::LoaderOptions loader_options(const FeedOptions& options, const DevicePlacement& placement) {
  data::LoaderOptions made;
  made.batch_size = options.batch_size;
  made.workers = options.workers;
  made.seed = options.seed;
  made.prefetch = options.memory.ahead;
  made.kept = options.memory.kept;
  made.bytes = placement.on_cuda();
  made.buffers = batch_buffers(placement);
  return made;
}

Result<BatchFeed> BatchFeed::create(const data::Dataset& dataset, const FeedOptions& options,
                                    const DevicePlacement& placement,
                                    const dist::CollectiveWatch& watch) {
  auto loader = RINGSIDE_TRY(data::Loader::create(dataset, loader_options(options, placement)));
  BatchFeed feed(dataset, std::move(loader));
  if (!placement.on_cuda()) return feed;
  const std::int64_t kept = options.memory.kept;
  const std::vector<at::Tensor> like{
      at::empty({options.batch_size, dataset.channels, dataset.height, dataset.width}, at::kByte),
      at::empty({options.batch_size}, at::kLong)};
  feed.copies_ =
      std::make_unique<BatchCopies>(placement.cuda->make_copy_stream(BatchCopies::events(kept)),
                                    like, placement.device, kept, watch);
  feed.normalize_ = std::make_unique<Normalize>(dataset, placement.device);
  return feed;
}

Result<void> BatchFeed::start(std::span<const std::uint32_t> indices, Epoch epoch) {
  if (copies_) copies_->finish();
  asked_ = 0;
  return loader_.start(indices, epoch);
}

Result<const data::Batch*> BatchFeed::read() {
  if (copies_) copies_->make_room(asked_);
  ++asked_;
  const data::Batch* batch = loader_.next();
  if (batch == nullptr && loader_.error()) return tl::unexpected<Error>(*loader_.error());
  return batch;
}

DeviceBatch BatchFeed::bring(const data::Batch& batch) {
  const auto [images, labels] = on_host(batch, *dataset_);
  if (!copies_) return {{images, labels}};
  return {copies_->copy(batch.number, {images, labels}),
          [normalize = normalize_.get()](const std::vector<at::Tensor>& tensors) {
            return ImagesAndLabels((*normalize)(tensors[0]), tensors[1]);
          }};
}

}  // namespace ringside::engine
