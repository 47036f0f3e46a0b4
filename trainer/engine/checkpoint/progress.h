// How far a run is: the part of a checkpoint that is neither weights nor optimizer. Plain values.
#pragma once

#include <cstdint>

#include "protocol/base/ids.h"

namespace ringside::engine {

struct Progress {
  Epoch epoch = 0;                    ///< epochs completed
  Step step = 0;                      ///< optimizer steps done since the start of the run
  std::int64_t steps_into_epoch = 0;  ///< optimizer steps done in the current epoch
  std::int64_t samples_into_epoch =
      0;  ///< of its order, read by all ranks together: where any number of ranks can continue
  Step schedule_step = 0;  ///< where the schedule stands: `step`, unless the number of steps in an
                           ///< epoch changed at a resume
  double best_accuracy = -1.0;  ///< of all validations so far, 0 .. 1
};

}  // namespace ringside::engine
