// A loader that brings its batches to the device of this rank: unchanged for a CPU slot; for a GPU
// as bytes that are copied during computation and normalised there. Training thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "trainer/core/batch_memory.h"
#include "trainer/data/loader.h"
#include "trainer/engine/device_placement.h"
#include "trainer/engine/loop/batch_copies.h"
#include "trainer/engine/loop/device_batch.h"

namespace ringside::engine {

struct FeedOptions {
  std::int64_t batch_size = 64;
  std::int64_t workers = 1;
  std::uint64_t seed = 0;  ///< seed of random crops and flips: train.seed
  core::BatchMemory memory = {1, 4};
};

/// Options of a loader for batches that go to the device of this rank.
data::LoaderOptions loader_options(const FeedOptions& options, const DevicePlacement& placement);

class BatchFeed {
 public:
  /// `dataset` and `watch` must outlive the feed. Fails as Loader::create() does.
  static Result<BatchFeed> create(const data::Dataset& dataset, const FeedOptions& options,
                                  const DevicePlacement& placement,
                                  const dist::CollectiveWatch& watch);

  /// Begins an epoch over these indices.
  Result<void> start(std::span<const std::uint32_t> indices, Epoch epoch = 0);
  /// The next batch on the host, valid until the next call; null after the last.
  Result<const data::Batch*> read();
  /// Enqueues the copy of the batch to the device. Valid for work that the calling thread enqueues
  /// before the next call; on the CPU valid until the next batch is read.
  DeviceBatch bring(const data::Batch& batch);

 private:
  BatchFeed(const data::Dataset& dataset, data::Loader loader)
      : dataset_(&dataset), loader_(std::move(loader)) {}

  const data::Dataset* dataset_;
  data::Loader loader_;
  std::int64_t asked_ = 0;  ///< number of batches requested in this epoch
  // Used only with a GPU.
  std::unique_ptr<BatchCopies> copies_;
  std::unique_ptr<Normalize> normalize_;  ///< on the heap, since batches hold its address
};

}  // namespace ringside::engine
