#include "gui/analysis/metric_figures.h"

#include <algorithm>
#include <cmath>

#include "gui/analysis/progress.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::Metric;
using model::MetricInfo;
using model::OverRanks;
using model::OverSteps;

constexpr Step kLongestInterval = 4096;  // search limit for metrics that are never measured

std::optional<double> value_at(const model::Series& series, Step step) {
  if (step < 0 || !series.has(model::step_index(step))) return std::nullopt;
  return static_cast<double>(series.at(model::step_index(step)));
}

/// The figure in the unit in which the metric is stored.
std::optional<double> stored_figure(const model::RankModel& rank, const MetricInfo& info,
                                    const FigureSteps& steps) {
  const model::Series& series = rank.series(info.metric);
  if (info.over_steps == OverSteps::kNewest) return value_at(series, steps.newest);
  const bool all = info.over_steps == OverSteps::kSum;
  const auto values =
      all ? series.sum(0, series.size())
          : series.sum(model::step_index(steps.recent.begin), model::step_index(steps.recent.end));
  if (values.count == 0) return std::nullopt;
  return all ? values.sum : values.mean();
}

}  // namespace

std::optional<double> metric_figure(const model::RankModel& rank, const MetricInfo& info,
                                    const FigureSteps& steps) {
  if (const auto stored = stored_figure(rank, info, steps)) return *stored * info.scale;
  if (std::isnan(info.at_rest) || rank.newest_step < 0) return std::nullopt;
  return info.at_rest * info.scale;
}

Step measured_step(const model::RunModel& model, const MetricInfo& info, Step newest) {
  if (!info.at_intervals) return newest;
  const Step oldest = std::max<Step>(0, newest - kLongestInterval);
  Step measured = oldest - 1;
  for (const Rank rank : model.ranks()) {
    const model::Series& series = model.rank(rank)->series(info.metric);
    for (Step step = newest; step > measured; --step) {
      if (series.has(model::step_index(step))) measured = step;
    }
  }
  return measured < oldest ? newest : measured;
}

std::optional<double> metric_of_all(const model::RunModel& model, const MetricInfo& info,
                                    const FigureSteps& steps,
                                    std::span<const std::optional<double>> figures) {
  if (info.over_ranks == OverRanks::kNone || figures.empty()) return std::nullopt;
  if (info.metric == Metric::kLoss) return value_at(model.mean_loss(), steps.newest);
  double sum = 0;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (!figures[i]) return std::nullopt;
    const bool again = info.metric == Metric::kSamples && figures.size() == model.ranks().size() &&
                       !counts_samples(model, model.ranks()[i]);
    if (!again) sum += *figures[i];
  }
  const bool mean = info.over_ranks == OverRanks::kMean;
  return mean ? sum / static_cast<double>(figures.size()) : sum;
}

}  // namespace ringside::analysis
