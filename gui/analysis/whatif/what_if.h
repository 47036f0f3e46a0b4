// What a step of a run would take under other circumstances: its recorded steps are changed and
// replayed. The error is told as a band: how far a replay without any change is from what was
// recorded, how much steps differ by themselves, and what the change leaves open. Pure functions of
// the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/analysis/scaling/link_probe.h"
#include "gui/analysis/scaling/scaling_fit.h"
#include "gui/analysis/whatif/worked_steps.h"

namespace ringside::analysis {

/// What is to be other than it was.
struct StepChange {
  Rank without_rank = kNoRank;  ///< its own work takes as long as that of another rank
  double link = 1;              ///< the bandwidth of the all-reduce times this
  bool no_data_wait = false;
  double bucket_mib = 0;  ///< gradients in buckets of so many MiB; 0: as they were
  Rank ranks = 0;         ///< on so many, the batch of each as it was; 0: as many as it had
  bool any() const {
    return without_rank != kNoRank || link != 1 || no_data_wait || bucket_mib > 0 || ranks > 0;
  }
  bool operator==(const StepChange&) const = default;
};

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
/// `probe`: of its devices; may be null.
Replayable replayable(const model::RunModel& model, const LinkProbe* probe);

/// The change must fit the run: check_change() says what is wrong with it.
Prediction predict(const Replayable& run, const StepChange& change);

/// What is wrong with a change for a run of so many ranks: one sentence; empty: nothing.
std::string check_change(const StepChange& change, Rank ranks);

}  // namespace ringside::analysis
