#include "gui/view/metric_cells.h"

#include <algorithm>
#include <cmath>

#include "gui/analysis/alerts/alert_rules.h"
#include "gui/analysis/final_loss.h"
#include "gui/model/run_model.h"
#include "gui/view/number_format.h"
#include "gui/view/short_number.h"
#include "gui/view/table_cells.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {

std::string metric_text(const model::MetricInfo& info, double value) {
  if (std::isnan(value)) return "NaN";
  if (info.unit == "ms") return ms_number(value / info.scale);
  return info.decimals < 0 ? lr_text(value) : measure_text(value, info.decimals);
}

std::string reported_text(const model::Series& series, std::size_t step, int decimals) {
  if (!series.has(step)) return std::string(kDash);
  const auto value = static_cast<double>(series.at(step));
  return std::isnan(value) ? "NaN" : measure_text(value, decimals);
}

std::string final_loss_text(const model::RunModel& model) {
  const auto last = analysis::final_loss(model);
  if (std::isnan(last.loss) && !analysis::ended_in_nan(model)) return std::string(kDash);
  const std::string text = std::isnan(last.loss) ? "NaN" : loss_text(last.loss);
  if (last.epoch >= 0) return text + ", mean over epoch " + count_text(last.epoch + 1);
  return last.step < 0
             ? text
             : text + ", of step " +
                   step_text(last.step, messages::first_step_number(model.spec())) + " alone";
}

TableColumn metric_column(const model::MetricInfo& info, Step of) {
  constexpr float kLeastWidth = 44;
  constexpr float kLetterWidth = 6.4F;
  TableColumn column =
      number_column(std::string(info.key), std::string(info.label), std::string(info.unit));
  if (of >= 0) column.label += ", step " + step_text(of);
  column.width = std::max(kLeastWidth, kLetterWidth * static_cast<float>(head_text(column).size()));
  column.drop_order = info.drop_order;
  column.ascending_first = !info.lower_is_better;
  column.shown = info.shown;
  return column;
}

Cell metric_cell(const model::MetricInfo& info, std::optional<double> value) {
  if (!value) return unknown_cell();
  Cell cell{*value, metric_text(info, *value)};
  const bool counted = info.decimals == 0 && std::abs(*value) < 1e15;
  if (counted) cell.value = static_cast<std::int64_t>(*value);
  return cell;
}

Cell metric_cell(const model::RankModel& rank, const model::MetricInfo& info,
                 const analysis::FigureSteps& steps) {
  return metric_cell(info, analysis::metric_figure(rank, info, steps));
}

}  // namespace ringside::view
