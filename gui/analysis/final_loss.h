// The loss at the end of a run, and whether it is finite. Pure functions of the model.
#pragma once

#include <limits>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::messages {
struct RunSpec;
}

namespace ringside::analysis {

/// The mean loss of the last training pass that all ranks reported or, before there is one, of the
/// newest step. NaN if unknown.
struct FinalLoss {
  double loss = std::numeric_limits<double>::quiet_NaN();
  Epoch epoch = -1;  ///< set if it is the mean over this epoch
  Step step = -1;    ///< otherwise it is of this step
};
FinalLoss final_loss(const model::RunModel& model);

/// Whether the loss broke and is NaN or Inf at the end: the result is worthless, even if the run
/// ended normally.
bool ended_in_nan(const model::RunModel& model);

/// Whether a run that ended so counts as failed, which its settings can turn off.
bool nan_is_failure(const messages::RunSpec& spec);

}  // namespace ringside::analysis
