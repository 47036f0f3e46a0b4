// Changed circumstances for the replay of a recorded step. Plain data.
#pragma once

#include "protocol/base/ids.h"

namespace ringside::analysis {

/// The differences from what was recorded.
struct StepChange {
  Rank without_rank = kNoRank;  ///< this rank's own work takes as long as that of the others
  double link = 1;              ///< factor for the bandwidth of the all-reduce
  bool no_data_wait = false;
  double bucket_mib = 0;  ///< size of gradient buckets in MiB; 0: unchanged
  Rank ranks = 0;         ///< number of ranks, with the same batch per rank; 0: unchanged
  bool any() const {
    return without_rank != kNoRank || link != 1 || no_data_wait || bucket_mib > 0 || ranks > 0;
  }
  bool operator==(const StepChange&) const = default;
};

}  // namespace ringside::analysis
