// The loader's batches of the training set, without a copy to the device: the same batches as
// StepBench's as long as that does no steps. Training thread only.
#pragma once

#include "trainer/data/loader.h"
#include "trainer/engine/device_placement.h"
#include "trainer/engine/loop/train_progress.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::check {

class LoaderAlone {
 public:
  /// Creates a loader for batches of `placement`: floats for a CPU slot, bytes for a GPU. `parts`
  /// must outlive this object.
  static Result<LoaderAlone> create(const engine::RankParts& parts,
                                    const engine::DevicePlacement& placement);
  /// The next batch, valid until the next call; begins a new epoch after the last.
  Result<const data::Batch*> next();

 private:
  LoaderAlone(const engine::RankParts& parts, data::Loader loader)
      : loader_(std::move(loader)), progress_(parts) {}
  Result<void> start_epoch();

  data::Loader loader_;
  engine::TrainProgress progress_;
  Epoch epoch_ = 0;  ///< the next epoch
};

}  // namespace ringside::check
