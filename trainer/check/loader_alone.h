// The batches of the training set as the loader makes them, copied nowhere: the same that StepBench
// has on the device as long as it does no step, one by one. Training thread only.
#pragma once

#include "trainer/data/loader.h"
#include "trainer/engine/device_placement.h"
#include "trainer/engine/loop/train_progress.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::check {

class LoaderAlone {
 public:
  /// Makes a loader for batches that go to `placement`: floats for a CPU slot, bytes for a GPU.
  /// `parts` outlives this object.
  static Result<LoaderAlone> create(const engine::RankParts& parts,
                                    const engine::DevicePlacement& placement);
  /// Valid until the next call; epochs follow each other.
  Result<const data::Batch*> next();

 private:
  LoaderAlone(const engine::RankParts& parts, data::Loader loader)
      : loader_(std::move(loader)), progress_(parts) {}
  Result<void> start_epoch();

  data::Loader loader_;
  engine::TrainProgress progress_;
  Epoch epoch_ = 0;  ///< the next
};

}  // namespace ringside::check
