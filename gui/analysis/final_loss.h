// The loss at the end of a run. Pure function of the model.
#pragma once

#include <limits>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

/// The mean loss of the last training pass that all ranks reported or, before there is one, of the
/// newest step. NaN if unknown.
struct FinalLoss {
  double loss = std::numeric_limits<double>::quiet_NaN();
  Epoch epoch = -1;  ///< set if it is the mean over this epoch
  Step step = -1;    ///< otherwise it is of this step
};
FinalLoss final_loss(const model::RunModel& model);

}  // namespace ringside::analysis
