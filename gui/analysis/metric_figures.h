// One figure of a metric, of a rank or of all, as its row in the table of metrics says. In the unit
// in which it is shown. Pure functions of the model.
#pragma once

#include <optional>
#include <span>

#include "gui/analysis/range.h"
#include "gui/model/metric.h"
#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// The steps that figures describe: the newest that every rank has, and the recent ones.
struct FigureSteps {
  Step newest = -1;
  StepRange recent;
};

/// Nothing: not known, or no such steps. NaN: the rank itself said so.
std::optional<double> metric_figure(const model::RankModel& rank, const model::MetricInfo& info,
                                    const FigureSteps& steps);

/// The step that figures of `newest` are of, on every rank: where the metric is measured at
/// intervals, the last one up to there in which a rank did; `newest` where none did.
Step measured_step(const model::RunModel& model, const model::MetricInfo& info, Step newest);

/// Mean or sum of `figures`, those of its ranks; the mean loss is weighted by samples, as
/// RunModel::mean_loss(). Nothing where the row of the metric has none, or a rank has no figure.
std::optional<double> metric_of_all(const model::RunModel& model, const model::MetricInfo& info,
                                    const FigureSteps& steps,
                                    std::span<const std::optional<double>> figures);

}  // namespace ringside::analysis
