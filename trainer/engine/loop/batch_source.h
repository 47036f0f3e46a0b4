// The batches of training on the device of this rank: from the loader, or with data.on_device from
// device memory. Training thread only.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "trainer/data/loader.h"
#include "trainer/engine/loop/device_data.h"
#include "trainer/engine/loop/step_recorder.h"
#include "trainer/engine/rank_parts.h"

namespace ringside::engine {

class BatchSource {
 public:
  /// `parts` outlives the source.
  static Result<BatchSource> create(const RankParts& parts);

  Result<void> start(std::span<const std::uint32_t> indices, Epoch epoch);
  /// Images and labels of the next batch; marks when it was read and when its copy was enqueued.
  Result<std::pair<at::Tensor, at::Tensor>> next(StepRecorder& recorder);

 private:
  explicit BatchSource(const RankParts& parts) : parts_(&parts) {}

  const RankParts* parts_;
  std::optional<data::Loader> loader_;
  std::optional<DeviceData> device_data_;  ///< instead of the loader
};

/// For a loader whose batches go to the device of this rank.
data::LoaderOptions loader_options(const RankParts& parts, std::int64_t batch_size);

}  // namespace ringside::engine
