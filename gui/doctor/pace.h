// Measures what some steps of a recipe cost here, by training them: one rank on one CPU slot, in
// a folder of its own. Any one thread; blocks until it has ended, at most so long as it may.
#pragma once

#include <vector>

#include "gui/doctor/trial.h"
#include "gui/launch/quick/quick_size.h"

namespace ringside::doctor {

struct PaceWish {
  messages::RunSpec spec;  ///< of one run to come, its devices settled
  double limit_s = 8;      ///< of steps that take longer only that is known
  launch::Cancelled cancelled{};
};

/// Nothing stays behind, whichever way it ends.
Result<launch::StepCost> measure_pace(const launch::Machine& machine, const PaceWish& wish);

/// The parts of it that need no machine. Two epochs of two steps, a larger and a smaller one: the
/// first time for the set-up, the second time for the figures.
messages::RunSpec pace_spec(const messages::RunSpec& run);
/// The four steps in their order, and from the start of the agent to its end.
struct PaceTimes {
  std::vector<TimedStep> steps;
  double evaluate_s = 0;  ///< one evaluation
  double total_s = 0;
};
launch::StepCost cost_of(const PaceTimes& times, const messages::RunSpec& spec);
/// At least so much, from steps that did not all end in time. `waited_s` after `start_s`: where
/// none ended, the first one is taken to have lasted so long.
launch::StepCost least_cost(const std::vector<TimedStep>& ended, double start_s, double waited_s,
                            const messages::RunSpec& spec);

}  // namespace ringside::doctor
