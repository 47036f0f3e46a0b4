// How far a run is: the part of a checkpoint that is neither weights nor optimizer. Plain values.
#pragma once

#include <cstdint>

#include "protocol/base/ids.h"

namespace ringside::engine {

struct Progress {
  Epoch epoch = 0;                    ///< epochs completed
  Step step = 0;                      ///< optimizer steps done since the start of the run
  std::int64_t steps_into_epoch = 0;  ///< of them in the epoch that is under way
};

}  // namespace ringside::engine
