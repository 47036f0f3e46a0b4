#include "gui/view/runs/compare_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/final_loss.h"
#include "gui/analysis/metric_figures.h"
#include "gui/analysis/progress.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/metric_cells.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

using model::RunModel;

using NumberText = std::function<std::string(double)>;

struct Figure {
  std::string key, label;
  std::vector<double> values;  ///< one for each run; NaN: unknown
  NumberText text = value_text;
  NumberText difference = text;  ///< format of the difference without its sign
};

double accuracy_of(const RunModel& model) {
  const auto pass = analysis::newest_validation(model);
  return pass ? pass->accuracy() : kUnknownNumber;
}

double rate_of_run(const RunModel& model) {
  const double rate = analysis::throughput(model, analysis::timed_steps(model).range).total_per_s;
  return rate > 0 ? rate : kUnknownNumber;
}

std::string time_text(double seconds) { return decimal_text(seconds, 1); }

void add_common_epochs(ComparedRuns runs, std::vector<Figure>& figures) {
  CommonEpochs common = common_epochs(runs);
  if (common.epochs <= 0) return;
  figures.push_back({"same_epochs_seconds",
                     "Time for " + plural(common.epochs, "epoch", "epochs") + ", s",
                     std::move(common.seconds), time_text, time_text});
}

/// A metric of steps as one number, the mean of the ranks: over the timed steps, or of the newest
/// step that has it, or their sum, as in the table of ranks.
double step_figure(const RunModel& model, const model::MetricInfo& info) {
  const analysis::FigureSteps steps{
      analysis::measured_step(model, info, model.newest_common_step()),
      analysis::timed_steps(model).range};
  double sum = 0;
  double ranks = 0;
  for (const Rank rank : model.ranks()) {
    const auto figure = analysis::metric_figure(*model.rank(rank), info, steps);
    if (!figure) continue;
    sum += *figure;
    ++ranks;
  }
  return ranks > 0 ? sum / ranks : kUnknownNumber;
}

/// Adds what the runs measured in their steps. A metric with a NaN or Inf has no value, but still
/// has its row.
void add_step_figures(ComparedRuns runs, std::vector<Figure>& figures) {
  for (const ComparedChart& chart : compared_charts(runs)) {
    const auto info = std::ranges::find(model::kMetricInfos, chart.key, &model::MetricInfo::key);
    const bool is_named = std::ranges::find(figures, chart.key, &Figure::key) != figures.end();
    if (info == model::kMetricInfos.end() || is_named) continue;
    std::vector<double> values;
    for (const ComparedRun& run : runs) values.push_back(step_figure(*run.model, *info));
    if (std::ranges::all_of(values, [](double v) { return std::isnan(v); })) continue;
    const auto text = [info](double value) { return metric_text(*info, value); };
    figures.push_back({chart.key, chart.title, std::move(values), text, text});
  }
}

std::vector<Figure> figures_of_all(ComparedRuns runs) {
  const auto each = [&runs](auto&& of) {
    std::vector<double> values;
    for (const ComparedRun& run : runs) values.push_back(of(*run.model));
    return values;
  };
  const auto loss = [](const RunModel& model) { return analysis::final_loss(model).loss; };
  const auto time = [](const RunModel& model) {
    return analysis::wall_seconds(model).value_or(kUnknownNumber);
  };
  std::vector<Figure> figures{
      {"loss", "Train loss", each(loss), loss_long_text},
      {"accuracy", "Val accuracy", each(accuracy_of), accuracy_text, points_text},
      {"samples_per_s", "Samples/s", each(rate_of_run), rate_text},
      {"time", "Time, s", each(time), time_text, time_text}};
  add_common_epochs(runs, figures);
  for (const ComparedChart& chart : compared_charts(runs)) {
    const auto name = scalar_name(chart.key);
    if (!name) continue;
    const auto latest = [&name](const RunModel& model) {
      const auto* logged = model.scalars().find(*name);
      return logged == nullptr ? kUnknownNumber : logged->latest().value;
    };
    std::vector<double> values = each(latest);
    if (std::ranges::count_if(values, [](double v) { return !std::isnan(v); }) > 1)
      figures.push_back({chart.key, chart.title, std::move(values)});
  }
  return figures;
}

}  // namespace

CommonEpochs common_epochs(ComparedRuns runs) {
  CommonEpochs common{analysis::complete_epochs(*runs.front().model), {}};
  for (const ComparedRun& run : runs)
    common.epochs = std::min(common.epochs, analysis::complete_epochs(*run.model));
  for (const ComparedRun& run : runs)
    common.seconds.push_back(
        analysis::seconds_to_epoch(*run.model, common.epochs).value_or(kUnknownNumber));
  return common;
}

Table compare_figures(ComparedRuns runs, std::size_t baseline, bool with_steps) {
  Table table{"figures", "Final figures"};
  table.columns = {{.key = "figure", .label = "Figure", .width = 120, .narrow_width = 92},
                   {.key = "key", .width = 0},
                   {.key = "run", .label = "Run", .width = 110, .narrow_width = 58},
                   number_column("value", "Value"),
                   number_column("difference", "Difference"),
                   number_column("ratio", "Ratio")};
  std::vector<Figure> figures = figures_of_all(runs);
  if (with_steps) add_step_figures(runs, figures);
  for (const Figure& figure : figures) {
    const double base = figure.values[baseline];
    for (std::size_t place = 0; place < runs.size(); ++place) {
      const ComparedRun& run = runs[place];
      const double value = figure.values[place];
      const bool held = place != baseline;
      const auto difference = [&figure](double by) {
        return (by < 0 ? "−" : "+") + figure.difference(std::abs(by));
      };
      const std::string who =
          letter_of(place) + "  " + run_label(run.context.number, run.context.id);
      add_row(table,
              {{figure.label, place == 0 ? figure.label : ""},
               {figure.key},
               {run.context.id, who},
               number_cell(value, figure.text),
               number_cell(held ? value - base : kUnknownNumber, difference),
               number_cell(held && base != 0 ? value / base : kUnknownNumber, percent1_text)});
      table.rows.back().key = letter_of(place) + " " + figure.key;
    }
  }
  table.notes.push_back("Difference and ratio are to " + letter_of(baseline) + ".");
  return table;
}

Table with_figures(const Table& figures, const std::vector<std::string>& names,
                   std::string& unknown) {
  Table table = figures;
  table.rows.clear();
  for (const std::string& name : names) {
    const std::size_t before = table.rows.size();
    for (const TableRow& row : figures.rows) {
      const auto key = std::get<std::string>(cell_of(figures, row, "key").value);
      if (key == name || key == scalar_key(name)) table.rows.push_back(row);
    }
    if (table.rows.size() == before && unknown.empty()) unknown = name;
  }
  return table;
}

std::vector<std::string> figure_names(const Table& figures) {
  std::vector<std::string> names;
  for (const TableRow& row : figures.rows) {
    auto key = std::get<std::string>(cell_of(figures, row, "key").value);
    key = scalar_name(key).value_or(key);
    if (std::ranges::find(names, key) == names.end()) names.push_back(std::move(key));
  }
  return names;
}

}  // namespace ringside::view
