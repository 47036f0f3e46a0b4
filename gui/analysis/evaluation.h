// One evaluation rank by rank: what was answered right of how much, what repeats do to it, and who
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
  std::int64_t correct = 0;  ///< repeats included where they are counted
  std::int64_t counted = 0;
  std::int64_t padded = 0;  ///< of `counted`, repeats; 0 where they are not known
  std::int64_t padded_correct = 0;
  double seconds = 0;
  double idle_seconds = 0;
  double reported() const;  ///< correct / counted; NaN of nothing
  double exact() const;     ///< without the repeats; NaN where they are not known
  bool repeats_known = true;
};

struct Evaluation {
  Epoch epoch = 0;
  bool complete = false;
  std::vector<EvaluationShare> ranks;
  EvaluationShare total;  ///< sums; rank is kNoRank
};

/// The newest one that is complete, of validation or else of test. Our trainer counts repeats in
/// the mode "padded" alone; in the others there are none. Nobody knows how a program on several
/// ranks padded, unless it says so.
std::optional<Evaluation> newest_evaluation(const model::RunModel& model);

/// Time that ranks stood idle while others evaluated.
struct IdleTime {
  Rank rank = 0;
  double idle_seconds = 0;
  double epoch_seconds = 0;  ///< training and evaluation of the same epochs
  double share() const { return epoch_seconds > 0 ? idle_seconds / epoch_seconds : 0; }
};
/// Every rank, ascending, over all epochs that were evaluated.
std::vector<IdleTime> idle_times(const model::RunModel& model);

}  // namespace ringside::analysis
