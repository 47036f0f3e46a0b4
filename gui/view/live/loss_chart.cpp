#include <algorithm>
#include <cmath>

#include "gui/analysis/accuracy.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/chart/chart_parts.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/metric_cells.h"
#include "gui/view/number_format.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

using model::Extremes;
using model::Metric;

bool shows_baseline(const ChartChoice& choice, const BaselineContext& baseline,
                    const XScale& scale) {
  return choice.baseline && baseline.model != nullptr && scale.axis() != XAxis::kStep;
}

std::string baseline_label(const BaselineContext& baseline) {
  return "baseline " + run_label(baseline.number, baseline.id);
}

/// Adds the smoothed line of the line that was added last.
void smooth(const model::Series& series, const Plotting& plot, int steps, ChartView& chart) {
  LineView line;
  line.kind = chart.lines.back().kind;
  line.rank = chart.lines.back().rank;
  line.label = chart.lines.back().label;
  add_smoothed(series, plot, steps, line);
  chart.smoothed.push_back(std::move(line));
}

void add_rank_lines(const model::RunModel& model, const ChartChoice& choice, Plotting plot,
                    ChartView& chart, Extremes& range) {
  const std::vector<Rank> drawn = drawn_ranks(model);
  Plotting band = band_plotting(plot, model.ranks().size());
  std::vector<Extremes> spanned;
  std::size_t shown = 0;
  for (const Rank rank : model.ranks()) {
    const bool hidden = is_hidden(choice, rank);
    const auto& series = model.rank(rank)->series(Metric::kLoss);
    auto thin = hidden ? std::vector<Extremes>{} : thinned(series, band);
    if (!hidden) merge(thin, spanned);
    shown += hidden ? 0U : 1U;
    if (!std::binary_search(drawn.begin(), drawn.end(), rank)) continue;
    if (!hidden && band.pixels != plot.pixels) thin = thinned(series, plot);
    LineView line;
    line.kind = LineKind::kRank;
    line.rank = rank;
    line.label = rank_label(rank);
    line.hidden = hidden;
    line.ends_in_cross = has_failed(*model.rank(rank));
    plot.rank = model.rank(rank);
    plot.gaps = {&model.rank(rank)->gaps};
    add_columns(series, thin, plot, line, range);
    chart.lines.push_back(std::move(line));
    if (choice.smoothing > 0 && !hidden) smooth(series, plot, choice.smoothing, chart);
  }
  band.gaps = gaps_of(model);
  if (shown > 1) add_band(spanned, band, chart.band, range);
}

void add_baseline(const BaselineContext& baseline, const Plotting& plot, const AxisView& x,
                  ChartView& chart, Extremes& range) {
  const XScale scale(*baseline.model, plot.x->axis());
  if (scale.axis() != plot.x->axis()) return;
  Plotting theirs = plot;
  theirs.x = &scale;
  theirs.gaps = gaps_of(*baseline.model);
  theirs.window = {scale.step_of(x.low), scale.step_of(x.high)};
  LineView line;
  line.kind = LineKind::kBaseline;
  line.label = baseline_label(baseline);
  add_means(baseline.model->mean_loss(), theirs, line, range);
  chart.lines.push_back(std::move(line));
}

Sentence readout_head(const model::RunModel& model, const XScale& scale, std::int64_t step) {
  Sentence head;
  const std::int64_t steps = model.steps_per_epoch();
  if (steps > 0) {
    head.push_back({"epoch ", Style::kDim});
    head.push_back({count_text(step / steps + 1), Style::kStrongNumber});
    head.push_back({"  step ", Style::kDim});
    head.push_back({count_text(step % steps + 1) + "/" + count_text(steps), Style::kStrongNumber});
  } else {
    head.push_back({"step ", Style::kDim});
    head.push_back(
        {step_text(step, messages::first_step_number(model.spec())), Style::kStrongNumber});
  }
  float lr = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [from, rate] : model.lr_changes()) {
    if (from <= step) lr = rate;
  }
  if (!std::isnan(lr)) {
    head.push_back({"  LR ", Style::kDim});
    head.push_back({lr_text(static_cast<double>(lr)), Style::kStrongNumber});
  }
  // The axis counts the time that was trained, which does not tell when that was.
  if (const auto offset = model.wall_offset_ns(); offset && scale.axis() == XAxis::kTime) {
    const std::int64_t wall_ns = scale.end_ns(static_cast<double>(step)) + *offset;
    head.push_back({"  at ", Style::kDim});
    head.push_back({date_time_text(wall_ns), Style::kStrongNumber});
  }
  return head;
}

/// Adds the values of exactly the step in the heading, however many steps share its pixel.
void add_readout(const model::RunModel& model, const BaselineContext& baseline,
                 const ChartChoice& choice, const Plotting& plot, ChartView& chart) {
  if (choice.cursor_step < 0 || choice.cursor_step >= static_cast<double>(model.steps_end()))
    return;
  const auto step = static_cast<std::int64_t>(choice.cursor_step);
  const auto here = static_cast<std::size_t>(step);
  ReadoutView& readout = chart.readout;
  readout.shown = true;
  readout.x = plot.x->x_of(choice.cursor_step);
  readout.head = readout_head(model, *plot.x, step);
  for (const LineView& line : chart.lines) {
    if (line.kind != LineKind::kRank || line.hidden) continue;
    readout.rows.push_back({line.kind, line.rank, line.label,
                            reported_text(model.rank(line.rank)->series(Metric::kLoss), here, 4)});
  }
  if (model.world_size() > 1)
    readout.rows.push_back(
        {LineKind::kMean, kNoRank, "mean", reported_text(model.mean_loss(), here, 4)});
  if (!shows_baseline(choice, baseline, *plot.x)) return;
  const XScale theirs(*baseline.model, plot.x->axis());
  const double at = std::floor(theirs.step_of(readout.x) + 0.5);
  if (at < 0) return;
  readout.rows.push_back(
      {LineKind::kBaseline, kNoRank, baseline_label(baseline),
       reported_text(baseline.model->mean_loss(), static_cast<std::size_t>(at), 4)});
}

}  // namespace

ChartKey chart_key(const model::RunModel& model, const RunContext& context,
                   const BaselineContext& baseline, const ChartChoice& choice, int pixels,
                   int height) {
  ChartKey key;
  key.revision = model.revision();
  key.baseline = baseline.model;
  key.baseline_revision = baseline.model == nullptr ? 0 : baseline.model->revision();
  key.pixels = pixels;
  key.height = height;
  key.contact = context.contact;
  key.held = context.held();
  key.notes = context.notes;
  key.choice = choice;
  return key;
}

namespace {

bool says_loss(const model::RunModel& model) {
  return std::any_of(model.ranks().begin(), model.ranks().end(), [&](Rank rank) {
    const auto& loss = model.rank(rank)->series(Metric::kLoss);
    return !loss.extremes(0, loss.size()).empty();
  });
}

}  // namespace

ChartView build_loss_chart(const model::RunModel& model, const RunContext& context,
                           const BaselineContext& baseline, const ChartChoice& choice, int pixels,
                           int height) {
  StartedChart start(model, choice, pixels, label::kLoss, "train");
  ChartView& chart = start.chart;
  const Plotting& plot = start.plot;
  if (model.steps_end() == 0) {
    chart.empty = no_steps_yet(model, context, baseline);
    start.range.add(0.1F);
    start.range.add(2.0F);
  }
  if (model.steps_end() > 0 && !says_loss(model))
    chart.empty = {{"No rank of this run reports its loss.", Style::kStrong}};
  add_rank_lines(model, choice, plot, chart, start.range);
  if (shows_baseline(choice, baseline, start.scale))
    add_baseline(baseline, plot, chart.x, chart, start.range);
  if (model.world_size() > 1) {
    LineView mean;
    mean.kind = LineKind::kMean;
    mean.label = "mean";
    add_means(model.mean_loss(), plot, mean, start.range);
    chart.lines.push_back(std::move(mean));
    if (choice.smoothing > 0) smooth(model.mean_loss(), plot, choice.smoothing, chart);
  }
  chart.y = y_axis(start.range, choice.logarithmic, height);
  if (choice.logarithmic && !chart.y.logarithmic)
    chart.why_linear = start.range.has_finite() ? label::kLossWithoutLog : label::kNoLossForLog;
  chart.markers = run_markers(model, context, start.scale);
  add_notes(model, context.notes, chart);
  if (const auto spread = analysis::loss_spread(model))
    chart.aside = std::string(label::kLossSpread) + " " + loss_text(spread->spread) + " in step " +
                  step_text(spread->step);
  add_readout(model, baseline, choice, plot, chart);
  return std::move(start.chart);
}

}  // namespace ringside::view
