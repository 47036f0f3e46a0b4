// The steps that a figure describes. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

/// The steps [begin, end).
struct StepRange {
  Step begin = 0;
  Step end = 0;
  Step count() const { return end > begin ? end - begin : 0; }
  bool operator==(const StepRange&) const = default;
};

/// Steps left out of timing at the start of a run: DDP rebuilds its buckets after step 1, and
/// caches are cold.
inline constexpr Step kWarmUpSteps = 20;
/// Number of steps over which current values are averaged.
inline constexpr Step kRecentSteps = 200;

/// The newest step that any rank has reported; -1: none.
Step newest_step(const model::RunModel& model);

/// Time of a rank's step, on the time scale of the model.
struct StepTime {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};
/// Nothing if the rank has not reported it.
std::optional<StepTime> time_of_step(const model::RankModel& rank, Step step);

/// The newest `count` steps that every rank has reported, without the warm-up if enough steps
/// remain.
StepRange recent_steps(const model::RunModel& model, Step count = kRecentSteps);

/// All steps that every rank has reported after `warm_up` steps; with fewer than twice `warm_up`
/// steps the warm-up is the first tenth, so that a short run still has figures. `left_out` is the
/// number of dropped steps.
struct TimedSteps {
  StepRange range;
  Step left_out = 0;
};
TimedSteps timed_steps(const model::RunModel& model, Step warm_up = kWarmUpSteps);

}  // namespace ringside::analysis
