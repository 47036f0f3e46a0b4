// Predictions of a step of a run under other circumstances: its recorded steps are changed and
// replayed. The error is told as a band: how far a replay without any change is from what was
// recorded, how much steps differ by themselves, and what the change leaves open. Pure functions of
// the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/analysis/scaling/link_probe.h"
#include "gui/analysis/scaling/scaling_fit.h"
#include "gui/analysis/whatif/step_change.h"
#include "gui/analysis/whatif/worked_steps.h"

namespace ringside::analysis {

/// Time of an exchange by its bytes, from the buckets of the run or a probe of its devices.
struct LinkModel {
  double latency_ns = 0;
  double bytes_per_ns = 0;  ///< 0: latency and bandwidth could not be told apart
  bool of_probe = false;
  double ns(double bytes) const {
    return latency_ns + (bytes_per_ns > 0 ? bytes / bytes_per_ns : 0);
  }
};

struct Prediction {
  std::string refused;  ///< why there is none; nothing else is filled in then but `recorded_ns`
  Step steps = 0;
  double recorded_ns = 0;  ///< a step, mean over these steps and the ranks
  double replayed_ns = 0;  ///< without any change, exchanges as the link model has them
  Interval step_ns;        ///< with the change, and its band of 95 %
  LinkModel link;
  bool shares_cores = false;  ///< ranks wait for a core, which the replay shares out
  bool extrapolated = false;  ///< to a number of ranks that was not run
  double faster() const { return recorded_ns / step_ns.value; }
};

/// Steps of a run, read once for any number of changes.
struct Replayable {
  WorkedSteps worked;
  LinkModel link;
  double replayed_ns = 0;
  std::string refused;  ///< why nothing can be predicted; empty: it can
};
/// `probe`: of its devices; may be null. `only`: as for worked_steps().
Replayable replayable(const model::RunModel& model, const LinkProbe* probe, StepRange only = {});

/// The change must fit the run: check_change() says what is wrong with it.
Prediction predict(const Replayable& run, const StepChange& change);

/// What is wrong with a change for a run of so many ranks: the words of an error; empty: nothing.
std::string check_change(const StepChange& change, Rank ranks);

}  // namespace ringside::analysis
