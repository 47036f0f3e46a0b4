// What follows from the batch settings, computed by one pure function for the window, the command
// line and the trainer, so that they never disagree.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages/run_spec.h"

namespace ringside::messages {

struct BatchFacts {
  std::int64_t per_rank_batch = 0;        ///< samples a rank takes per step
  std::int64_t global_batch_nominal = 0;  ///< as asked for
  std::int64_t global_batch = 0;          ///< per_rank_batch * ranks: 126 for 128 on 3 ranks
  std::int64_t samples_per_rank = 0;      ///< per epoch, repeats included; equal on all ranks
  std::int64_t padded_samples = 0;        ///< repeats over all ranks per epoch
  std::int64_t unread_samples = 0;        ///< left out per epoch (sampler.padding = "none")
  std::int64_t steps_per_epoch = 0;
  std::int64_t last_batch = 0;   ///< samples a rank takes in the last step of an epoch
  std::int64_t total_steps = 0;  ///< over all epochs, max_steps respected
};

/// `dataset_size`: training samples. Rules of torch.utils.data.DistributedSampler followed by a
/// DataLoader that keeps the last short batch. Fails when a rank would get no sample per step.
Result<BatchFacts> batch_facts(const RunSpec& spec, std::int64_t dataset_size);

}  // namespace ringside::messages
