// The training batches on the device of this rank: from the loader or, with data.on_device, from
// device memory. Training thread only.
#pragma once

#include <optional>
#include <span>

#include "trainer/engine/loop/batch_feed.h"
#include "trainer/engine/loop/device_data.h"
#include "trainer/engine/loop/rank_parts.h"
#include "trainer/engine/loop/step_recorder.h"

namespace ringside::engine {

class BatchSource {
 public:
  /// `parts` and `watch` must outlive the source.
  static Result<BatchSource> create(const RankParts& parts, const dist::CollectiveWatch& watch);

  Result<void> start(std::span<const std::uint32_t> indices, Epoch epoch);
  /// The next batch, valid until the next call; marks in `recorder` when it was read.
  Result<DeviceBatch> next(StepRecorder& recorder);

 private:
  BatchSource() = default;

  std::optional<BatchFeed> feed_;
  std::optional<DeviceData> device_data_;  ///< used instead of the feed
};

/// Options of the loader for training or evaluation.
FeedOptions feed_options(const RankParts& parts, std::int64_t batch_size);

}  // namespace ringside::engine
