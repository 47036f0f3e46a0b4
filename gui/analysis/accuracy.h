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
  std::int64_t correct = 0;  ///< -1: not known
  std::int64_t counted = 0;  ///< -1: a rank does not know it
  std::int64_t padded = 0;   ///< repeats inside `counted` or beside it, as the ranks said
  double loss = 0;           ///< sum of sums / counted; NaN when nothing was counted or is known
  double seconds = 0;        ///< slowest rank
  Step last_step = 0;
  std::int64_t ended_ns = 0;  ///< time of its newest report
  int ranks = 0;              ///< that reported it
  bool reported = false;      ///< whether every rank that takes part has reported it
  bool complete = false;      ///< reported and, over the training data, of every step of the epoch
  double accuracy() const;    ///< correct / counted, 0 .. 1; NaN when nothing was counted
};

/// Ascending by epoch; epochs nobody reported are left out. A pass is reported when all ranks of
/// its attempt did or, for a pass only rank 0 makes, when the run went on to the next epoch or
/// ended. What was trained of an epoch before and after a stop within it is one pass.
std::vector<PassResult> passes(const model::RunModel& model, messages::Phase phase);
std::optional<PassResult> pass_of(const model::RunModel& model, messages::Phase phase, Epoch epoch);
/// As passes(), but with all reports of each epoch, oldest first, and not the newest alone.
std::vector<PassResult> all_passes(const model::RunModel& model, messages::Phase phase);
/// Newest complete validation, or test where there is no validation.
std::optional<PassResult> newest_validation(const model::RunModel& model);
/// Highest accuracy over complete validations.
std::optional<PassResult> best_validation(const model::RunModel& model);
/// True unless the epoch was left before its last step.
bool trained_to_its_end(const model::RunModel& model, const PassResult& train);
/// The step a pass of that epoch ends before: the end of the epoch, or where the run was when it
/// was stopped within it. `last_step`: as the report says.
Step pass_end(const model::RunModel& model, Epoch epoch, Step last_step);
/// Validations of two runs in the newest epoch that both have complete.
struct SharedValidation {
  PassResult run;
  PassResult baseline;
  double delta() const { return run.accuracy() - baseline.accuracy(); }  ///< -0.0064 = -0.64 pp
};
std::optional<SharedValidation> shared_validation(const model::RunModel& run,
                                                  const model::RunModel& baseline);

/// Largest minus smallest loss of the ranks in the newest step that all of them have.
struct LossSpread {
  double spread = 0;
  Step step = 0;
};
/// Nothing of one rank, or where a loss is not known or not a number.
std::optional<LossSpread> loss_spread(const model::RunModel& model);

}  // namespace ringside::analysis
