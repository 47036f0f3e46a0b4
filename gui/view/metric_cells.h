// Metrics as columns, cells and text, from their rows in the table of metrics. Pure.
#pragma once

#include <optional>
#include <string>

#include "gui/analysis/metric_figures.h"
#include "gui/model/metric.h"
#include "gui/model/series.h"
#include "gui/view/table.h"

namespace ringside::view {

/// "91.6", "NaN", "∞" for a value in the unit in which it is shown.
std::string metric_text(const model::MetricInfo& info, double value);
/// `of`: the step of its values, if that is not the newest.
TableColumn metric_column(const model::MetricInfo& info, Step of = -1);
/// The reported value of a step: the number, "NaN" or "∞", or "–" if there is none.
std::string reported_text(const model::Series& series, std::size_t step, int decimals);
/// "0.4123, mean over epoch 3", "0.4123, of step 6 alone": the final loss of the run.
std::string final_loss_text(const model::RunModel& model);
/// The cell is unknown without a value.
Cell metric_cell(const model::MetricInfo& info, std::optional<double> value);
Cell metric_cell(const model::RankModel& rank, const model::MetricInfo& info,
                 const analysis::FigureSteps& steps);

}  // namespace ringside::view
