#include <algorithm>

#include "gui/analysis/range.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/chart/chart_parts.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

using model::Metric;

/// The newest steps, or the window that the person chose.
model::Window newest_window(const model::RunModel& model, const ChartChoice& choice) {
  if (choice.window.end > choice.window.begin) return choice.window;
  const auto end = static_cast<double>(model.steps_end());
  return {std::max(0.0, end - static_cast<double>(analysis::kRecentSteps)), std::max(1.0, end)};
}

/// Adds the time of each drawn rank in the step at the cursor.
void add_readout(const model::RunModel& model, Metric metric, const ChartChoice& choice,
                 const XScale& scale, ChartView& chart) {
  add_cursor(model, choice, scale, chart);
  if (!chart.readout.shown) return;
  const auto step = static_cast<std::size_t>(choice.cursor_step);
  chart.readout.head = {{"step ", Style::kDim},
                        {step_text(static_cast<std::int64_t>(step)), Style::kStrongNumber},
                        {"  ms", Style::kDim}};
  for (const LineView& line : chart.lines) {
    if (line.hidden) continue;
    const auto value = static_cast<double>(model.rank(line.rank)->series(metric).at(step));
    chart.readout.rows.push_back({LineKind::kRank, line.rank, line.label, ms_number(value)});
  }
}

}  // namespace

ChartView build_step_time_chart(const model::RunModel& model, const RunContext& context,
                                const ChartChoice& choice, int pixels, int height) {
  ChartView chart;
  chart.title = label::kStepTime;
  const XScale scale(model, XAxis::kStep);
  Plotting plot;
  plot.window = newest_window(model, choice);
  plot.pixels = pixels;
  plot.scale = 1e-6;
  plot.x = &scale;
  const bool chosen = choice.window.end > choice.window.begin;
  chart.subtitle = chosen ? "ms" : "ms, last " + count_text(analysis::kRecentSteps) + " steps";
  chart.x = x_axis(model, scale, plot.window, pixels);
  model::Extremes range;
  const Metric metric = choice.whole_step ? Metric::kStepTime : Metric::kOwnWork;
  Plotting band = band_plotting(plot, model.ranks().size());
  std::vector<model::Extremes> spanned;
  const std::vector<Rank> drawn = drawn_ranks(model);
  for (const Rank rank : model.ranks()) {
    const bool hidden = is_hidden(choice, rank);
    const auto& series = model.rank(rank)->series(metric);
    auto thin = hidden ? std::vector<model::Extremes>{} : thinned(series, band);
    merge(thin, spanned);
    if (!std::binary_search(drawn.begin(), drawn.end(), rank)) continue;
    if (!hidden && band.pixels != plot.pixels) thin = thinned(series, plot);
    LineView line;
    line.rank = rank;
    line.label = rank_label(rank);
    line.hidden = hidden;
    plot.gaps = {&model.rank(rank)->gaps};
    add_columns(series, thin, plot, line, range);
    chart.lines.push_back(line);
    if (choice.smoothing == 0 || hidden) continue;
    line.columns.clear();
    add_smoothed(series, plot, choice.smoothing, line);
    chart.smoothed.push_back(std::move(line));
  }
  band.gaps = gaps_of(model);
  if (static_cast<Rank>(model.ranks().size()) > kMaxRankLines)
    add_band(spanned, band, chart.band, range);
  if (model.steps_end() == 0) {
    chart.empty = no_steps_yet(model, context, {});
  } else if (!range.has_finite()) {
    chart.empty = {{choice.whole_step ? "No step time was reported."
                                      : "This program does not report its data and compute time.",
                    Style::kDim}};
  }
  chart.y = y_axis(range, false, height);
  chart.y.unit = "ms";
  add_notes(model, context.notes, chart);
  add_readout(model, metric, choice, scale, chart);
  return chart;
}

}  // namespace ringside::view
