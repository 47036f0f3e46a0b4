// What follows from the batch settings, computed by one pure function for the window, the command
// line and the trainer, so that they never disagree.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages/spec/run_spec.h"

namespace ringside::messages {

struct BatchFacts {
  std::int64_t per_rank_batch = 0;  ///< samples a rank takes per step
  std::int64_t part_batch = 0;  ///< samples per backward pass: per_rank_batch / batch.accumulate
  std::int64_t global_batch_nominal = 0;  ///< as asked for
  std::int64_t global_batch = 0;          ///< per_rank_batch * ranks: 126 for 128 on 3 ranks
  std::int64_t samples_per_rank = 0;      ///< per epoch, repeats included; equal on all ranks
  std::int64_t padded_samples = 0;        ///< repeats over all ranks per epoch
  std::int64_t unread_samples = 0;        ///< left out per epoch over all ranks (sampler.padding =
                                          ///< "none", batch.drop_last)
  std::int64_t steps_per_epoch = 0;
  std::int64_t last_batch = 0;   ///< samples a rank takes in the last step of an epoch
  std::int64_t total_steps = 0;  ///< over all epochs, max_steps respected
  double lr_scale = 1.0;         ///< what optimizer.lr_rule makes of the global batch
};

/// `dataset_size`: training samples. Rules of torch.utils.data.DistributedSampler followed by a
/// DataLoader, which keeps the last short batch or not. lr_scale is global_batch / lr_batch or its
/// square root (Goyal et al., 2017; Krizhevsky, 2014). With devices.parallel = "dp" one process
/// takes the batches of all devices. Fails when a rank would get no sample or no step.
Result<BatchFacts> batch_facts(const RunSpec& spec, std::int64_t dataset_size);

}  // namespace ringside::messages
