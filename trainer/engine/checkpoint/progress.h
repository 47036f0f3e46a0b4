// How far a run has got: the part of a checkpoint that is neither weights nor optimizer. Plain
// values.
#pragma once

#include <cstdint>

#include "protocol/base/ids.h"

namespace ringside::engine {

struct Progress {
  Epoch epoch = 0;                    ///< epochs completed
  Step step = 0;                      ///< optimizer steps done since the start of the run
  std::int64_t steps_into_epoch = 0;  ///< optimizer steps done in the current epoch
  std::int64_t samples_into_epoch =
      0;  ///< samples of the epoch's order that all ranks together have read, so that any number of
          ///< ranks can continue there
  Step schedule_step = 0;  ///< position in the schedule: `step`, unless a resume changed the number
                           ///< of steps per epoch
  double best_accuracy = -1.0;  ///< of all validations so far, 0 .. 1
};

}  // namespace ringside::engine
