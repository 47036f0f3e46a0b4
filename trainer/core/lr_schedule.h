// The learning rate of an epoch. Pure.
#pragma once

#include "protocol/base/ids.h"
#include "protocol/messages/run_spec.h"

namespace ringside::core {

/// The rate used in `epoch` (from 0). "step" multiplies by gamma every step_epochs epochs, one
/// product after the other as torch.optim.lr_scheduler.StepLR does, so the doubles are equal.
double learning_rate(const messages::OptimizerSpec& optimizer,
                     const messages::ScheduleSpec& schedule, Epoch epoch);

}  // namespace ringside::core
