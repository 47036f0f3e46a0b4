// One evaluation rank by rank: correct and counted samples, the effect of repeats, and which ranks
// waited meanwhile. Pure functions of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

struct EvaluationShare {
  Rank rank = 0;
  std::int64_t correct = 0;  ///< including repeats if they are counted
  std::int64_t counted = 0;
  std::int64_t padded = 0;  ///< number of repeats in `counted`; 0 if unknown
  std::int64_t padded_correct = 0;
  double seconds = 0;
  double idle_seconds = 0;
  double reported() const;  ///< correct / counted; NaN if nothing was counted
  double exact() const;     ///< without the repeats; NaN if they are unknown
  bool repeats_known = true;
};

struct Evaluation {
  Epoch epoch = 0;
  bool complete = false;
  std::vector<EvaluationShare> ranks;
  EvaluationShare total;  ///< sums; rank is kNoRank
};

/// The newest complete evaluation, of validation or else of test. Our trainer counts repeats only
/// in the mode "padded"; in the other modes there are none. For a custom program on several ranks
/// padding is unknown unless it is reported.
std::optional<Evaluation> newest_evaluation(const model::RunModel& model);

/// Time in which ranks were idle while others evaluated.
struct IdleTime {
  Rank rank = 0;
  double idle_seconds = 0;
  double epoch_seconds = 0;  ///< of training and evaluation in the same epochs
  double share() const { return epoch_seconds > 0 ? idle_seconds / epoch_seconds : 0; }
};
/// Every rank, ascending, summed over all evaluated epochs.
std::vector<IdleTime> idle_times(const model::RunModel& model);

}  // namespace ringside::analysis
