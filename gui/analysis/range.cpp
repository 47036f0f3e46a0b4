#include "gui/analysis/range.h"

#include <algorithm>
#include <cmath>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

/// First step that every rank may have reported: the latest first step of all ranks.
Step first_common_step(const model::RunModel& model) {
  Step first = 0;
  for (const Rank rank : model.ranks()) first = std::max(first, model.rank(rank)->first_step);
  return first;
}

}  // namespace

TimedSteps timed_steps(const model::RunModel& model, Step warm_up) {
  const Step begin = first_common_step(model);
  const Step end = model.newest_common_step() + 1;
  const Step count = std::max<Step>(0, end - begin);
  const Step left_out = count >= 2 * warm_up ? warm_up : count / 10;
  return {{begin + left_out, std::max(begin + left_out, end)}, left_out};
}

Step newest_step(const model::RunModel& model) {
  Step newest = -1;
  for (const Rank rank : model.ranks()) newest = std::max(newest, model.rank(rank)->newest_step);
  return newest;
}

std::optional<StepTime> time_of_step(const model::RankModel& rank, Step step) {
  const std::size_t at = model::step_index(step);
  const std::int64_t end_ns = rank.end_ns.at(at);
  const float took_ns = rank.series(model::Metric::kStepTime).at(at);
  if (model::is_absent(end_ns) || !std::isfinite(took_ns)) return std::nullopt;
  return StepTime{end_ns - std::llround(took_ns), end_ns};
}

StepRange recent_steps(const model::RunModel& model, Step count) {
  const StepRange timed = timed_steps(model).range;
  return {std::max(timed.begin, timed.end - count), timed.end};
}

}  // namespace ringside::analysis
