// The learning rate of a step: schedule, scaling with the batch, warm-up. Closed formulas, so that
// a resumed run needs only its position. Pure.
#pragma once

#include <cstdint>

#include "protocol/base/ids.h"
#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::core {

struct SchedulePosition {
  Epoch epoch = 0;               ///< from 0
  Step step = 0;                 ///< from 0, over all epochs
  std::int64_t total_steps = 1;  ///< of the run: period of cosine and onecycle
  double lr_scale = 1.0;         ///< factor that optimizer.lr_rule derives from the global batch
};

SchedulePosition schedule_position(const messages::BatchFacts& facts, Epoch epoch, Step step);

/// The rate used in the update of this step: optimizer.lr * lr_scale under the schedule, times the
/// warm-up. Equal, within rounding, to these of torch.optim.lr_scheduler:
///   constant   no scheduler
///   step       StepLR(step_size=step_epochs, gamma), stepped after each epoch
///   multistep  MultiStepLR(milestones, gamma), stepped after each epoch
///   cosine     CosineAnnealingLR(T_max=total_steps, eta_min=min_lr), stepped after each step
///   onecycle   OneCycleLR(max_lr=lr, total_steps, pct_start=rise, div_factor, final_div_factor,
///              anneal_strategy="cos", three_phase=False, cycle_momentum=False), each step
///   warm-up    times LinearLR(start_factor=warmup_factor, total_iters=warmup_steps), each step
/// step and multistep multiply repeatedly, as PyTorch does, so their doubles are equal. Steps
/// beyond total_steps keep the last value. min_lr is not scaled.
double learning_rate(const messages::OptimizerSpec& optimizer,
                     const messages::ScheduleSpec& schedule, const SchedulePosition& position);

}  // namespace ringside::core
