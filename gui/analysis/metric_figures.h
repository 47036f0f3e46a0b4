// Figures of a metric for one rank or all ranks, as defined by the metric's row, in the unit of
// display. Pure functions of the model.
#pragma once

#include <optional>
#include <span>

#include "gui/analysis/range.h"
#include "gui/model/metric.h"
#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// The steps that figures describe: the newest one that every rank has, and recent ones.
struct FigureSteps {
  Step newest = -1;
  StepRange recent;
};

/// Nothing: unknown, or no such steps. NaN: the rank itself reported NaN.
std::optional<double> metric_figure(const model::RankModel& rank, const model::MetricInfo& info,
                                    const FigureSteps& steps);

/// The step whose values are shown as newest, on every rank: for a metric measured at intervals
/// the last step in which a rank measured it; `newest` if none did.
Step measured_step(const model::RunModel& model, const model::MetricInfo& info, Step newest);

/// Mean or sum of `figures`, one for each rank; the mean loss is weighted by samples, as in
/// RunModel::mean_loss(). Nothing if the metric's row defines none, or a rank has no figure.
std::optional<double> metric_of_all(const model::RunModel& model, const model::MetricInfo& info,
                                    const FigureSteps& steps,
                                    std::span<const std::optional<double>> figures);

}  // namespace ringside::analysis
