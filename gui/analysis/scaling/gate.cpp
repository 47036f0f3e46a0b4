#include "gui/analysis/scaling/gate.h"

#include "gui/model/run_model.h"

namespace ringside::analysis {

Gate gate(const model::RunModel& run, const Speedup& speedup, const GateLimits& limits) {
  Gate result;
  if (run.spec().devices.world_size != limits.ranks) {
    result.why = "The goal is set for exactly " + std::to_string(limits.ranks) +
                 " devices, this run has " + std::to_string(run.spec().devices.world_size) + ".";
    return result;
  }
  if (speedup.missing != NoSpeedup::kNone) {
    result.why = "There is no speedup to judge: " + speedup.why;
    return result;
  }
  const auto validation = newest_validation(run);
  if (!validation) {
    result.why = "No validation is complete.";
    return result;
  }
  result.decided = true;
  result.time_cut = speedup.time_cut;
  result.val_accuracy = validation->accuracy();
  result.fast_enough = result.time_cut >= limits.least_time_cut;
  result.accurate_enough = result.val_accuracy > limits.val_accuracy_above;
  return result;
}

}  // namespace ringside::analysis
