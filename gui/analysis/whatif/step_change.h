// Other circumstances under which a recorded step is replayed. Plain data.
#pragma once

#include "protocol/base/ids.h"

namespace ringside::analysis {

/// What is to be other than it was.
struct StepChange {
  Rank without_rank = kNoRank;  ///< its own work takes as long as that of another rank
  double link = 1;              ///< the bandwidth of the all-reduce times this
  bool no_data_wait = false;
  double bucket_mib = 0;  ///< gradients in buckets of so many MiB; 0: as they were
  Rank ranks = 0;         ///< another number of ranks, same batch per rank; 0: as recorded
  bool any() const {
    return without_rank != kNoRank || link != 1 || no_data_wait || bucket_mib > 0 || ranks > 0;
  }
  bool operator==(const StepChange&) const = default;
};

}  // namespace ringside::analysis
