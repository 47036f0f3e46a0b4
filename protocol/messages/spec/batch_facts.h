// Figures that follow from the batch settings. The window, the command line and the trainer use
// this one pure function, so they never disagree.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

struct BatchFacts {
  std::int64_t per_rank_batch = 0;  ///< samples of a rank per step
  std::int64_t part_batch = 0;  ///< samples per backward pass: per_rank_batch / batch.accumulate
  std::int64_t global_batch_nominal = 0;  ///< as in the settings
  std::int64_t global_batch = 0;          ///< actual: per_rank_batch * ranks: 126 for 128 on 3
                                          ///< ranks
  std::int64_t samples_per_rank = 0;      ///< per epoch, repeats included; equal on all ranks
  std::int64_t padded_samples = 0;        ///< repeats per epoch over all ranks
  std::int64_t unread_samples = 0;        ///< left out per epoch over all ranks (sampler.padding =
                                          ///< "none", batch.drop_last)
  std::int64_t steps_per_epoch = 0;
  std::int64_t last_batch = 0;   ///< samples of a rank in the last step of an epoch
  std::int64_t total_steps = 0;  ///< over all epochs, limited by max_steps
  double lr_scale = 1.0;         ///< factor that optimizer.lr_rule derives from the global batch
};

/// `dataset_size` is the number of training samples. The rules are those of
/// torch.utils.data.DistributedSampler followed by a DataLoader, which keeps or drops the last
/// short batch. lr_scale is global_batch / lr_batch or its square root (Goyal et al., 2017;
/// Krizhevsky, 2014). With devices.parallel = "dp" one process takes the batches of all devices.
/// Fails when a rank would get no sample or no step.
Result<BatchFacts> batch_facts(const RunSpec& spec, std::int64_t dataset_size);

}  // namespace ringside::messages
