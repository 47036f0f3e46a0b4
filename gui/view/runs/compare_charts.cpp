#include "gui/view/runs/compare_charts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/progress.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/chart/chart_parts.h"
#include "gui/view/chart/scalar_lines.h"
#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

using model::Extremes;
using model::RunModel;

constexpr std::string_view kScalar = "scalar:";

/// Returns the wanted axis if all runs have it, else the axis of steps.
XAxis common_axis(ComparedRuns runs, XAxis wanted) {
  const bool all = std::ranges::all_of(runs, [wanted](const ComparedRun& run) {
    return XScale(*run.model, wanted).axis() == wanted;
  });
  return all ? wanted : XAxis::kStep;
}

bool is_zoomed(const CompareChoice& choice) { return choice.high > choice.low; }

LineView line_of(std::size_t place) {
  LineView line;
  line.kind = LineKind::kRun;
  line.run = static_cast<int>(place);
  line.label = letter_of(place);
  return line;
}

/// Holds a chart while the lines of the runs are added in turn.
struct Lines {
  const CompareChoice& choice;  ///< its axis is one that all runs have
  int pixels = 1;
  ChartView chart{};
  Extremes range{};
  /// Whether all programs gave the numbers of their steps; nothing: none has logged the metric.
  std::optional<bool> own_steps{};

  void add(LineView line) {
    if (!line.columns.empty() || !line.nan_at.empty()) chart.lines.push_back(std::move(line));
  }
  void add_smoothed_line(LineView line) {
    if (!line.columns.empty()) chart.smoothed.push_back(std::move(line));
  }
};

Plotting plotting_of(const RunModel& model, const XScale& scale, const Lines& lines) {
  Plotting plot;
  const auto end = static_cast<double>(std::max<std::size_t>(1, model.steps_end()));
  plot.window = {0, end};
  if (is_zoomed(lines.choice))
    plot.window = {std::clamp(std::floor(scale.step_of(lines.choice.low)), 0.0, end),
                   std::clamp(std::ceil(scale.step_of(lines.choice.high)) + 1, 0.0, end)};
  plot.pixels = lines.pixels;
  plot.x = &scale;
  plot.gaps = gaps_of(model);
  return plot;
}

void add_losses(const RunModel& model, std::size_t place, Lines& lines) {
  const XScale scale(model, lines.choice.axis);
  const Plotting plot = plotting_of(model, scale, lines);
  LineView line = line_of(place);
  add_means(model.mean_loss(), plot, line, lines.range);
  lines.add(std::move(line));
  if (lines.choice.smoothing == 0) return;
  LineView smooth = line_of(place);
  add_smoothed(model.mean_loss(), plot, lines.choice.smoothing, smooth);
  lines.add_smoothed_line(std::move(smooth));
}

/// Returns the mean of the ranks' values at each x.
LineView mean_of(std::size_t place, std::span<const LineView> ranks) {
  std::map<double, std::pair<ChartColumn, int>> sums;
  for (const LineView& rank : ranks) {
    for (const ChartColumn& column : rank.columns) {
      auto& [sum, count] = sums.try_emplace(column.x, single_column(column.x, 0), 0).first->second;
      sum.mean += column.mean;
      sum.anew = sum.anew || column.anew;
      ++count;
    }
  }
  LineView line = line_of(place);
  for (const auto& [x, one] : sums) {
    const float mean = one.first.mean / static_cast<float>(one.second);
    line.columns.push_back(single_column(x, mean));
    line.columns.back().anew = one.first.anew;
  }
  return line;
}

void add_measured(const RunModel& model, const model::MetricInfo& info, std::size_t place,
                  Lines& lines) {
  const XScale scale(model, lines.choice.axis);
  Plotting plot = plotting_of(model, scale, lines);
  plot.scale = info.scale;
  std::vector<LineView> raw, smooth;
  for (const Rank rank : model.ranks()) {
    const auto& series = model.rank(rank)->series(info.metric);
    Extremes of_rank;
    add_means(series, plot, raw.emplace_back(), of_rank);
    if (lines.choice.smoothing > 0)
      add_smoothed(series, plot, lines.choice.smoothing, smooth.emplace_back());
  }
  LineView line = mean_of(place, raw);
  for (const ChartColumn& column : line.columns) lines.range.add(column.mean);
  lines.add(std::move(line));
  lines.add_smoothed_line(mean_of(place, smooth));
}

void add_validations(const RunModel& model, std::size_t place, Lines& lines) {
  const XScale scale(model, lines.choice.axis);
  LineView line = line_of(place);
  const auto validations = analysis::passes(model, messages::Phase::kValidate);
  for (const auto& pass :
       validations.empty() ? analysis::passes(model, messages::Phase::kTest) : validations) {
    if (!pass.complete || pass.counted <= 0) continue;
    const double x = scale.x_after(static_cast<double>(pass.last_step + 1));
    if (is_zoomed(lines.choice) && (x < lines.choice.low || x > lines.choice.high)) continue;
    const auto value = static_cast<float>(pass.accuracy() * 100);
    line.columns.push_back(single_column(x, value));
    lines.range.add(value);
  }
  lines.add(std::move(line));
}

/// Adds the mean of the ranks that logged this metric.
void add_logged(const RunModel& model, const std::string& metric, std::size_t place, Lines& lines) {
  const model::ScalarName* name = model.scalars().find(metric);
  const model::ScalarSeries* series = name == nullptr ? nullptr : main_series(*name);
  if (series == nullptr) return;
  lines.own_steps = lines.own_steps.value_or(true) && name->own_steps();
  ScalarPlot plot(model, lines.choice.axis, lines.pixels);
  plot.show_all(*name);
  if (is_zoomed(lines.choice)) {
    plot.low = lines.choice.low;
    plot.high = lines.choice.high;
  }
  LineView line = line_of(place);
  add_scalar_means(*series, plot, line, lines.range);
  lines.add(std::move(line));
  if (lines.choice.smoothing > 0) {
    LineView smooth = line_of(place);
    add_scalar_smoothed(*series, plot, lines.choice.smoothing, smooth);
    lines.add_smoothed_line(std::move(smooth));
  }
  std::string& aside = lines.chart.aside;
  aside += (aside.empty() ? "" : "  ") + letter_of(place) + " " + value_text(name->latest().value);
}

const model::MetricInfo* measured(std::string_view key) {
  for (const model::MetricInfo& info : model::kMetricInfos) {
    const bool drawn = !info.label.empty() && std::isnan(info.at_rest);
    if (drawn && info.metric != model::Metric::kLoss && info.key == key) return &info;
  }
  return nullptr;
}

bool has_measured(const RunModel& model, model::Metric metric) {
  return std::ranges::any_of(model.ranks(), [&](Rank rank) {
    const auto& series = model.rank(rank)->series(metric);
    return series.sum(0, series.size()).count > 0;
  });
}

std::string title_of(const model::MetricInfo& info) {
  return std::string(info.label) + (info.unit.empty() ? "" : " ") + std::string(info.unit);
}

void add_run(const RunModel& model, const std::string& key, std::size_t place, Lines& lines) {
  if (key == "loss") {
    add_losses(model, place, lines);
  } else if (key == "accuracy") {
    add_validations(model, place, lines);
  } else if (const auto logged = scalar_name(key)) {
    add_logged(model, *logged, place, lines);
  } else if (const auto* info = measured(key)) {
    add_measured(model, *info, place, lines);
  }
}

/// Compares the mean losses of the last epoch that both runs have trained, and the accuracies of
/// the last epoch that both have evaluated.
void add_aside(const RunModel& a, const RunModel& b, const std::string& key, ChartView& chart) {
  if (key == "loss") {
    const Epoch epoch = std::min(analysis::complete_epochs(a), analysis::complete_epochs(b)) - 1;
    const auto of_a = analysis::pass_of(a, messages::Phase::kTrain, epoch);
    const auto of_b = analysis::pass_of(b, messages::Phase::kTrain, epoch);
    if (epoch < 0 || !of_a || !of_b) return;
    chart.aside = "at epoch " + count_text(epoch + 1) + "  A " + loss_text(of_a->loss) + "  B " +
                  loss_text(of_b->loss);
  } else if (const auto shared = analysis::shared_validation(a, b); shared && key == "accuracy") {
    chart.aside = "at epoch " + count_text(shared->run.epoch + 1) + "  A " +
                  accuracy_number(shared->run.accuracy()) + "  B " +
                  accuracy_number(shared->baseline.accuracy()) + "  A − B " +
                  points_text(shared->delta());
  }
}

void finish_chart(ComparedRuns runs, int height, Lines& lines) {
  ChartView& chart = lines.chart;
  const CompareChoice& choice = lines.choice;
  chart.axis = choice.axis;
  ChartChoice whole;
  whole.plan = choice.plan;
  for (const ComparedRun& run : runs) {
    const XScale scale(*run.model, choice.axis);
    AxisView x =
        is_zoomed(choice)
            ? x_axis_between(*run.model, choice.axis, choice.low, choice.high, lines.pixels)
            : x_axis(*run.model, scale, shown_window(*run.model, whole), lines.pixels);
    if (&run == runs.data() || x.high > chart.x.high) chart.x = std::move(x);
  }
  if (lines.own_steps == true && choice.axis == XAxis::kStep)
    chart.x.ticks = linear_ticks(chart.x.low, chart.x.high, std::max(3, lines.pixels / 56));
  chart.y = y_axis(lines.range, choice.logarithmic, height);
  const bool any = lines.range.has_finite();
  if (choice.logarithmic && !chart.y.logarithmic && any) chart.why_linear = label::kNoLogInView;
  if (!any)
    chart.empty = {{is_zoomed(choice) ? "No value in this stretch." : "No data yet.", Style::kDim}};
}

/// Returns the nearest column; null if all are far away.
const ChartColumn* nearest_column(const std::vector<ChartColumn>& columns, const AxisView& axis,
                                  double x) {
  const double slack = (axis.high - axis.low) * 0.01;
  if (columns.empty() || x < columns.front().x - slack || x > columns.back().x + slack)
    return nullptr;
  auto after = std::ranges::lower_bound(columns, x, {}, &ChartColumn::x);
  if (after == columns.end()) --after;
  if (after != columns.begin() && x - std::prev(after)->x < after->x - x) --after;
  return &*after;
}

/// Returns "0.412", or for several runs "0.412  0.398 to 0.421"; a dash if the line has no value.
std::string words_at(const LineView& line, const AxisView& axis, double x) {
  const ChartColumn* const column = nearest_column(line.columns, axis, x);
  if (column == nullptr) return std::string(kDash);
  const std::string mean = value_text(static_cast<double>(column->mean));
  const ChartColumn* const band = nearest_column(line.band, axis, x);
  if (band == nullptr) return mean;
  return mean + "  " + value_text(static_cast<double>(band->low)) + " to " +
         value_text(static_cast<double>(band->high));
}

Sentence readout_words(const ChartView& chart, double x) {
  std::string value;
  switch (chart.axis) {
    case XAxis::kEpoch:
      value = decimal_text(x, 2);
      break;
    case XAxis::kTime:
      value = x < 60 ? seconds_text(x) : clock_text(x);
      break;
    case XAxis::kSamples:
      value = count_text(std::llround(x));
      break;
    case XAxis::kStep:
      // The labels of the axis show with which number the steps begin.
      const bool counted =
          !chart.x.ticks.empty() && chart.x.ticks[0].label != tick_text(chart.x.ticks[0].at, 1);
      value = step_text(std::llround(x), counted ? 1 : 0);
      break;
  }
  return {{chart.x.unit + " ", Style::kDim}, {value, Style::kStrongNumber}};
}

}  // namespace

std::string scalar_key(const std::string& name) { return std::string(kScalar) + name; }
std::optional<std::string> scalar_name(const std::string& key) {
  return key.starts_with(kScalar) ? std::optional(key.substr(kScalar.size())) : std::nullopt;
}
std::string letter_of(std::size_t place) { return {static_cast<char>('A' + place)}; }

std::vector<ComparedChart> compared_charts(ComparedRuns runs) {
  std::vector<ComparedChart> charts{{"loss", "Train loss"}, {"accuracy", "Val accuracy %"}};
  for (const model::MetricInfo& info : model::kMetricInfos) {
    const bool any =
        measured(info.key) != nullptr && std::ranges::any_of(runs, [&](const auto& run) {
          return has_measured(*run.model, info.metric);
        });
    if (any) charts.push_back({std::string(info.key), title_of(info)});
  }
  std::set<std::string_view> known;
  for (const ComparedRun& run : runs) {
    for (const model::ScalarName& name : run.model->scalars().names()) {
      if (known.insert(name.name()).second)
        charts.push_back({scalar_key(name.name()), shown_name(name.name())});
    }
  }
  return charts;
}

std::string next_chart(ComparedRuns runs, const std::string& key) {
  const std::vector<ComparedChart> charts = compared_charts(runs);
  const auto now = std::ranges::find(charts, key, &ComparedChart::key);
  if (now == charts.end()) return charts.front().key;
  return now + 1 == charts.end() ? std::string() : (now + 1)->key;
}

std::string next_baseline(ComparedRuns runs, const std::string& id) {
  std::size_t now = 0;
  for (std::size_t place = 0; place < runs.size(); ++place)
    if (runs[place].context.id == id) now = place;
  return runs[(now + 1) % runs.size()].context.id;
}

ChartView build_compare_chart(ComparedRuns runs, const CompareChoice& choice,
                              const std::string& key, int pixels, int height) {
  CompareChoice common = choice;
  common.axis = common_axis(runs, choice.axis);
  // A range that was chosen on another axis is dropped.
  if (common.axis != choice.axis) common.low = common.high = 0;
  Lines lines{common, pixels};
  for (const ComparedChart& chart : compared_charts(runs))
    if (chart.key == key) lines.chart.title = chart.title;
  for (std::size_t place = 0; place < runs.size(); ++place)
    add_run(*runs[place].model, key, place, lines);
  finish_chart(runs, height, lines);
  for (std::size_t place = 0; place < runs.size(); ++place)
    add_notes(*runs[place].model, runs[place].context.notes, lines.chart, letter_of(place) + ": ");
  if (runs.size() == 2) add_aside(*runs[0].model, *runs[1].model, key, lines.chart);
  return std::move(lines.chart);
}

Menu compare_chart_menu(const CompareChoice& choice, const std::string& key) {
  ChartStyle now{{}, choice.axis, choice.logarithmic, choice.plan};
  if (key != "accuracy") now.smoothing = choice.smoothing;
  const auto set = [choice](const ChartStyle& style) -> Command {
    CompareChoice wanted = choice;
    wanted.smoothing = style.smoothing.value_or(choice.smoothing);
    wanted.logarithmic = style.logarithmic.value_or(choice.logarithmic);
    wanted.plan = style.plan.value_or(choice.plan);
    wanted.axis = style.axis.value_or(choice.axis);
    if (wanted.axis != choice.axis) wanted.low = wanted.high = 0;
    return SetCompare{std::move(wanted)};
  };
  CompareChoice whole = choice;
  whole.low = whole.high = 0;
  return chart_menu(now, set, Command(SetCompare{std::move(whole)}),
                    std::string(kComparedChart) + key);
}

ReadoutView compare_readout(const ChartView& chart, std::span<const std::string> names, double x) {
  ReadoutView readout;
  readout.shown = true;
  readout.x = x;
  readout.head = readout_words(chart, x);
  for (const LineView& line : chart.lines) {
    ReadoutRow row{
        LineKind::kRun, line.run,
        line.band.empty() ? names[static_cast<std::size_t>(line.run)] : "mean of " + line.label,
        words_at(line, chart.x, x)};
    const auto smooth = std::ranges::find(chart.smoothed, line.run, &LineView::run);
    if (smooth != chart.smoothed.end() && row.value != kDash)
      row.value = words_at(*smooth, chart.x, x) + "  raw " + row.value;
    readout.rows.push_back(std::move(row));
  }
  return readout;
}

CompareChoice zoomed(const CompareChoice& choice, const ChartView& chart, double x,
                     double notches) {
  CompareChoice next = choice;
  const double factor = std::pow(0.8, notches);
  // Zooming out ends at the whole axis.
  if (!is_zoomed(choice) && notches < 0) return next;
  next.axis = chart.axis;
  next.low = std::max(std::min(0.0, chart.x.low), x - (x - chart.x.low) * factor);
  next.high = x + (chart.x.high - x) * factor;
  return next;
}

CompareChoice moved(const CompareChoice& choice, const ChartView& chart, double dragged) {
  CompareChoice next = choice;
  if (!is_zoomed(choice)) return next;
  next.axis = chart.axis;
  next.low = chart.x.low - dragged;
  next.high = chart.x.high - dragged;
  return next;
}

}  // namespace ringside::view
