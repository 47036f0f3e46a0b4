// Measures the cost of a recipe's steps on this machine by training some of them: one rank on one
// CPU slot, in a temporary folder. Any one thread; blocks until that has ended, up to its time
// limit.
#pragma once

#include <vector>

#include "gui/doctor/trial.h"
#include "gui/launch/quick/quick_size.h"

namespace ringside::doctor {

struct PaceRequest {
  messages::RunSpec spec;  ///< settings of one planned run, with settled devices
  double limit_s = 8;      ///< if steps take longer, only a lower bound is known
  launch::Cancelled cancelled{};
};

/// Leaves no files and no processes behind, however it ends.
Result<launch::StepCost> measure_pace(const launch::Machine& machine, const PaceRequest& request);

/// The parts that need no machine. Two epochs with one larger and one smaller step each: the first
/// epoch includes the set-up, the second one gives the figures.
messages::RunSpec pace_spec(const messages::RunSpec& run);
/// The four steps in order, and the times around them, from the start of the agent to its end.
struct PaceTimes {
  std::vector<TimedStep> steps;
  double evaluate_s = 0;  ///< for one evaluation
  double total_s = 0;
};
launch::StepCost cost_of(const PaceTimes& times, const messages::RunSpec& spec);
/// Lower bounds if not all steps ended in time. If none ended, the first one counts as having taken
/// `waited_s`, measured after `start_s`.
launch::StepCost least_cost(const std::vector<TimedStep>& ended, double start_s, double waited_s,
                            const messages::RunSpec& spec);

}  // namespace ringside::doctor
