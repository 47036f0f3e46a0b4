// Metrics as columns, cells and text, from their rows in the table of metrics. Pure.
#pragma once

#include <optional>
#include <string>

#include "gui/analysis/metric_figures.h"
#include "gui/model/metric.h"
#include "gui/model/series.h"
#include "gui/view/table.h"

namespace ringside::view {

/// "91.6", "NaN", "∞"; of a value in the unit in which it is shown.
std::string metric_text(const model::MetricInfo& info, double value);
TableColumn metric_column(const model::MetricInfo& info);
/// What was reported for a step: the number, "NaN" or "∞" where it broke, "–" where there is none.
std::string reported_text(const model::Series& series, std::size_t step, int decimals);
/// "0.4123, mean over epoch 3", "0.4123, of step 6 alone": what the run has come to.
std::string final_loss_text(const model::RunModel& model);
/// Nothing is not known.
Cell metric_cell(const model::MetricInfo& info, std::optional<double> value);
/// The same of a rank; says which step it is of where that is not the newest.
Cell metric_cell(const model::RankModel& rank, const model::MetricInfo& info,
                 const analysis::FigureSteps& steps);
/// The same where the figure is known.
Cell metric_cell(const model::RankModel& rank, const model::MetricInfo& info,
                 const analysis::FigureSteps& steps, std::optional<double> figure);

/// The same with the step in its text, where that is not the newest: for tables that have room.
Cell dated_metric_cell(const model::RankModel& rank, const model::MetricInfo& info,
                       const analysis::FigureSteps& steps);

}  // namespace ringside::view
