#include <algorithm>
#include <vector>

#include "gui/analysis/accuracy.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/chart/chart_parts.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/number_format.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

using messages::Phase;
using model::Extremes;
using model::Metric;

/// From this number of epochs on, a line has a point per pass; below it, per step.
constexpr std::size_t kEnoughEpochs = 8;
constexpr int kMostStepColumns = 160;
/// The number of step reports in the window above which steps of many ranks are not added up for
/// each frame.
constexpr double kMostSteps = 4e6;

bool inside(const model::Window& window, double step) {
  return step >= window.begin && step <= window.end;
}

void add_value(ChartColumn column, const Plotting& plot, LineView& line) {
  column.anew = !line.columns.empty() && plot.x->stopped_between(line.columns.back().x, column.x);
  line.columns.push_back(column);
}

void add_passes(const model::RunModel& model, const model::RankModel& rank, const Plotting& plot,
                LineView& line, Extremes& range) {
  for (const auto& entry : rank.epochs[static_cast<std::size_t>(Phase::kTrain)]) {
    if (!entry || entry->report.counted <= 0 || entry->report.correct < 0) continue;
    const auto step = static_cast<double>(
        analysis::pass_end(model, entry->report.epoch, entry->report.last_step));
    if (!inside(plot.window, step)) continue;
    const auto share = static_cast<float>(100.0 * static_cast<double>(entry->report.correct) /
                                          static_cast<double>(entry->report.counted));
    add_value(single_column(plot.x->x_after(step, rank), share), plot, line);
    range.add(share);
  }
}

std::size_t step_columns(const Plotting& plot) {
  return static_cast<std::size_t>(std::clamp(plot.pixels / 4, 1, kMostStepColumns));
}

bool many_ranks(const model::RunModel& model) {
  return static_cast<Rank>(model.ranks().size()) > kMaxRankLines;
}

/// Whether the lines of all ranks have a point per pass, and not per step.
bool by_epoch(const model::RunModel& model, const Plotting& plot) {
  const auto ranks = model.ranks();
  const double steps = plot.window.end - plot.window.begin;
  if (many_ranks(model) && steps * static_cast<double>(ranks.size()) > kMostSteps) return true;
  return std::any_of(ranks.begin(), ranks.end(), [&](Rank rank) {
    return model.rank(rank)->epochs[static_cast<std::size_t>(Phase::kTrain)].size() >=
           kEnoughEpochs;
  });
}

/// The meaning of a point of the line, which changes as the run goes on.
std::string subtitle_of(const Plotting& plot, bool epochs) {
  if (epochs) return "train per epoch, val points";
  const auto steps = static_cast<std::size_t>(std::max(1.0, plot.window.end - plot.window.begin));
  const std::size_t each = (steps + step_columns(plot) - 1) / step_columns(plot);
  if (each <= 1) return "train per step, val points";
  return "train per " + count_text(static_cast<std::int64_t>(each)) + " steps, val points";
}

void add_steps(const model::RankModel& rank, const Plotting& all, LineView& line, Extremes& range) {
  Plotting plot = all;
  plot.gaps = {&rank.gaps};
  BrokenColumns columns(plot, line.columns);
  const std::size_t count = step_columns(plot);
  for (std::size_t column = 0; column < count; ++column) {
    const std::size_t begin = model::column_begin(plot.window, column, count);
    const std::size_t end = model::column_begin(plot.window, column + 1, count);
    const auto correct = rank.series(Metric::kCorrect).sum(begin, end);
    const auto samples = rank.series(Metric::kSamples).sum(begin, end);
    if (correct.count == 0 || correct.count != samples.count || samples.sum <= 0) continue;
    const auto share = static_cast<float>(100.0 * correct.sum / samples.sum);
    columns.add(begin, end, single_column(plot.x->x_of(static_cast<double>(begin), rank), share));
    range.add(share);
  }
}

/// Adds the line of all ranks together, for runs with many ranks.
void add_passes_of_all(const model::RunModel& model, const Plotting& plot, LineView& line,
                       Extremes& range) {
  for (const auto& pass : analysis::passes(model, Phase::kTrain)) {
    const auto step = static_cast<double>(analysis::pass_end(model, pass.epoch, pass.last_step));
    if (!pass.reported || pass.counted <= 0 || !inside(plot.window, step)) continue;
    const auto share = static_cast<float>(100.0 * pass.accuracy());
    add_value(single_column(plot.x->x_after(step), share), plot, line);
    range.add(share);
  }
}

void add_steps_of_all(const model::RunModel& model, const Plotting& plot, LineView& line,
                      Extremes& range) {
  const std::size_t count = step_columns(plot);
  std::vector<std::size_t> begins;
  for (std::size_t column = 0; column <= count; ++column)
    begins.push_back(model::column_begin(plot.window, column, count));
  std::vector<double> correct(count);
  std::vector<double> samples(count);
  // The sums are taken rank by rank, since the steps of one rank are contiguous in memory.
  for (const Rank number : model.ranks()) {
    const model::RankModel& rank = *model.rank(number);
    for (std::size_t column = 0; column < count; ++column) {
      const auto right = rank.series(Metric::kCorrect).sum(begins[column], begins[column + 1]);
      const auto seen = rank.series(Metric::kSamples).sum(begins[column], begins[column + 1]);
      if (right.count != seen.count) continue;
      correct[column] += right.sum;
      samples[column] += seen.sum;
    }
  }
  for (std::size_t column = 0; column < count; ++column) {
    if (samples[column] <= 0) continue;
    const auto share = static_cast<float>(100.0 * correct[column] / samples[column]);
    add_value(single_column(plot.x->x_of(static_cast<double>(begins[column])), share), plot, line);
    range.add(share);
  }
}

void add_mean(const model::RunModel& model, const Plotting& plot, bool epochs,
              std::vector<LineView>& lines, Extremes& range) {
  LineView mean;
  mean.kind = LineKind::kMean;
  mean.label = "mean";
  if (epochs) add_passes_of_all(model, plot, mean, range);
  if (!epochs) add_steps_of_all(model, plot, mean, range);
  lines.push_back(std::move(mean));
}

void add_validations(const model::RunModel& model, const XScale& scale, const AxisView& x,
                     bool baseline, ChartView& chart, Extremes& range) {
  const auto validations = analysis::passes(model, Phase::kValidate);
  for (const auto& pass :
       validations.empty() ? analysis::passes(model, Phase::kTest) : validations) {
    if (!pass.complete || pass.counted <= 0) continue;
    const double at =
        scale.x_after(static_cast<double>(analysis::pass_end(model, pass.epoch, pass.last_step)));
    const double slack = (x.high - x.low) * 1e-6;  // The last epoch ends at the edge.
    if (at < x.low - slack || at > x.high + slack) continue;
    chart.points.push_back({at, pass.accuracy() * 100, baseline});
    range.add(static_cast<float>(pass.accuracy() * 100));
  }
}

}  // namespace

ChartView build_accuracy_chart(const model::RunModel& model, const RunContext& context,
                               const BaselineContext& baseline, const ChartChoice& choice,
                               int pixels, int height) {
  StartedChart start(model, choice, pixels, label::kAccuracy, "");
  ChartView& chart = start.chart;
  const Plotting& plot = start.plot;
  const XScale& scale = start.scale;
  Extremes& range = start.range;
  const bool enough = by_epoch(model, plot);
  chart.subtitle = subtitle_of(plot, enough);
  for (const Rank number : drawn_ranks(model)) {
    const model::RankModel& rank = *model.rank(number);
    LineView line;
    line.rank = number;
    line.label = rank_label(number);
    line.hidden = is_hidden(choice, number);
    if (!line.hidden && enough) add_passes(model, rank, plot, line, range);
    if (!line.hidden && !enough) add_steps(rank, plot, line, range);
    chart.lines.push_back(std::move(line));
  }
  if (many_ranks(model)) add_mean(model, plot, enough, chart.lines, range);
  if (choice.baseline && baseline.model != nullptr && scale.axis() != XAxis::kStep) {
    const XScale theirs(*baseline.model, scale.axis());
    if (theirs.axis() == scale.axis())
      add_validations(*baseline.model, theirs, chart.x, true, chart, range);
  }
  add_validations(model, scale, chart.x, false, chart, range);
  if (model.steps_end() == 0) chart.empty = no_steps_yet(model, context, baseline);
  if (model.steps_end() > 0 && !range.has_finite() && !model.spec().program.argv.empty()) {
    const bool watched = messages::is_watched(model.spec());
    chart.empty = {{watched ? "No accuracy of counted samples. " : "No accuracy is reported. ",
                    Style::kStrong},
                   {watched ? "Files of other tools do not tell the counts; what they call "
                              "accuracy is under Metrics."
                            : "rs.log(accuracy=...) of ringside_rank does.",
                    Style::kDim}};
  }
  if (!range.has_finite()) {
    range.add(0.0F);
    range.add(100.0F);
  }
  chart.y = y_axis(range, false, height);
  chart.y.high = std::min(chart.y.high, 102.0);
  chart.y.unit = "%";
  chart.markers = run_markers(model, context, scale);
  add_notes(model, context.notes, chart);
  if (const auto newest = analysis::newest_validation(model))
    chart.aside = "val " + accuracy_text(newest->accuracy());
  add_cursor(model, choice, scale, chart);
  return std::move(start.chart);
}

}  // namespace ringside::view
