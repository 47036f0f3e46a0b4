// Predicts the step time of a run under other circumstances: its recorded steps are changed and
// replayed. The error is given as a band that covers the difference of an unchanged replay from the
// recorded times, the variation between steps, and the uncertainty of the change. Pure functions of
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

/// Time of an exchange by its size, from the buckets of the run or a probe of its devices.
struct LinkModel {
  double latency_ns = 0;
  double bytes_per_ns = 0;  ///< 0: latency and bandwidth could not be separated
  bool of_probe = false;
  double ns(double bytes) const {
    return latency_ns + (bytes_per_ns > 0 ? bytes / bytes_per_ns : 0);
  }
};

struct Prediction {
  std::string refused;  ///< why there is no prediction; then only `recorded_ns` is set
  Step steps = 0;
  double recorded_ns = 0;  ///< step time, mean over these steps and the ranks
  double replayed_ns = 0;  ///< without any change, with the exchange times of the link model
  Interval step_ns;        ///< with the change, and its 95 % band
  LinkModel link;
  bool shares_cores = false;  ///< ranks wait for a core, which the replay simulates
  bool extrapolated = false;  ///< the number of ranks was not measured
  double faster() const { return recorded_ns / step_ns.value; }
};

/// Steps of a run, prepared once for any number of changes.
struct Replayable {
  WorkedSteps worked;
  LinkModel link;
  double replayed_ns = 0;
  std::string refused;  ///< why nothing can be predicted; empty: predictions are possible
};
/// `probe`: of the run's devices; may be null. `only`: as for worked_steps().
Replayable replayable(const model::RunModel& model, const LinkProbe* probe, StepRange only = {});

/// The change must fit the run: check_change() returns what is wrong with it.
Prediction predict(const Replayable& run, const StepChange& change);

/// Error message for a change that does not fit a run of this many ranks; empty: it fits.
std::string check_change(const StepChange& change, Rank ranks);

}  // namespace ringside::analysis
