// Recorded times of steps that all ranks of a run reported completely. Plain data and a pure
// function of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/analysis/range.h"
#include "gui/model/rank_model.h"

namespace ringside::analysis {

/// One rank's times in a step, in ns on the run's time scale.
struct RankTimes {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  double data = 0;
  double backward = -1;
  std::vector<model::BucketTimes> buckets;  ///< in the order in which they were ready
};

struct StepTimes {
  Step step = 0;
  std::vector<RankTimes> ranks;
};

/// The newest of these steps, of which all have the buckets of the newest one.
std::vector<StepTimes> whole_steps(const model::RunModel& model, StepRange range);

/// Maximum number of replayed steps: the newest after the warm-up whose buckets are stored.
inline constexpr Step kMostReplayed = 500;

}  // namespace ringside::analysis
