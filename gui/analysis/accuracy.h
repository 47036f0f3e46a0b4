// Accuracy and loss of whole passes, from numerators and denominators summed over ranks; never a
// mean of percentages. Pure functions of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"
#include "protocol/messages/states.h"

namespace ringside::analysis {

struct PassResult {
  Epoch epoch = 0;
  std::int64_t correct = 0;  ///< -1: unknown
  std::int64_t counted = 0;  ///< -1: a rank does not know it
  std::int64_t padded = 0;   ///< repeats inside or outside of `counted`, as reported by the ranks
  double loss = 0;     ///< sum of losses / counted; NaN if nothing was counted or it is unknown
  double seconds = 0;  ///< of the slowest rank
  Step last_step = 0;
  std::int64_t ended_ns = 0;  ///< time of its newest report
  int ranks = 0;              ///< number of ranks that reported it
  bool reported = false;      ///< every rank that takes part has reported it
  bool complete = false;      ///< reported and, for training, over every step of the epoch
  double accuracy() const;    ///< correct / counted, 0 .. 1; NaN if nothing was counted
};

/// Passes ascending by epoch; epochs without reports are left out. A pass is reported once all
/// ranks of its attempt have reported it or, for a pass that only rank 0 makes, once the run has
/// gone on to the next epoch or ended. The parts of an epoch before and after a stop within it are
/// one pass.
std::vector<PassResult> passes(const model::RunModel& model, messages::Phase phase);
std::optional<PassResult> pass_of(const model::RunModel& model, messages::Phase phase, Epoch epoch);
/// Like passes(), but with all reports of each epoch, oldest first, and not only the newest.
std::vector<PassResult> all_passes(const model::RunModel& model, messages::Phase phase);
/// The newest complete validation, or test if there is no validation.
std::optional<PassResult> newest_validation(const model::RunModel& model);
/// The highest accuracy of all complete validations.
std::optional<PassResult> best_validation(const model::RunModel& model);
/// True unless the epoch was left before its last step.
bool trained_to_its_end(const model::RunModel& model, const PassResult& train);
/// The step before which a pass of that epoch ends: the end of the epoch, or where the run was
/// stopped within it. `last_step`: as in the report.
Step pass_end(const model::RunModel& model, Epoch epoch, Step last_step);
/// Validations of two runs in the newest epoch for which both have a complete one.
struct SharedValidation {
  PassResult run;
  PassResult baseline;
  double delta() const { return run.accuracy() - baseline.accuracy(); }  ///< -0.0064 = -0.64 pp
};
std::optional<SharedValidation> shared_validation(const model::RunModel& run,
                                                  const model::RunModel& baseline);

/// Difference of the largest and smallest loss of the ranks in the newest step that all have.
struct LossSpread {
  double spread = 0;
  Step step = 0;
};
/// Nothing for a single rank, or if a loss is unknown, NaN or Inf.
std::optional<LossSpread> loss_spread(const model::RunModel& model);

}  // namespace ringside::analysis
