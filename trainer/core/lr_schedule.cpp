#include "trainer/core/lr_schedule.h"

#include <algorithm>

namespace ringside::core {

double learning_rate(const messages::OptimizerSpec& optimizer,
                     const messages::ScheduleSpec& schedule, Epoch epoch) {
  double rate = optimizer.lr;
  if (schedule.name != "step") return rate;
  const std::int64_t every = std::max<std::int64_t>(1, schedule.step_epochs);
  for (std::int64_t drop = every; drop <= epoch; drop += every) rate *= schedule.gamma;
  return rate;
}

}  // namespace ringside::core
