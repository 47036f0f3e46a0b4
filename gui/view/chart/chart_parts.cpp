#include "gui/view/chart/chart_parts.h"

#include <algorithm>
#include <cmath>

#include "gui/analysis/progress.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/number_format.h"
#include "gui/view/run_context.h"
#include "gui/view/short_number.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

using model::Extremes;
using model::Series;

/// Sets `count` to the number of pixel columns, or of steps if there are fewer. Returns false for
/// an empty window.
bool pieces(const Plotting& plot, std::size_t& count) {
  const std::size_t begin = first_of(plot.window);
  const std::size_t end = end_of(plot.window);
  if (end <= begin || plot.pixels < 1) return false;
  count = std::min(end - begin, static_cast<std::size_t>(plot.pixels));
  return true;
}

double x_at(const Plotting& plot, std::size_t step) {
  const auto at = static_cast<double>(step);
  return plot.rank == nullptr ? plot.x->x_of(at) : plot.x->x_of(at, *plot.rank);
}

float scaled(float value, double scale) {
  return static_cast<float>(static_cast<double>(value) * scale);
}

float or_else(const Series& series, std::size_t step, float otherwise) {
  const float value = series.at(step);
  return std::isfinite(value) ? value : otherwise;
}

/// Calls visit(begin, end) with the steps of each piece that the series reaches.
template <class Visit>
void each_piece(const Plotting& plot, std::size_t size, Visit&& visit) {
  std::size_t count = 0;
  if (!pieces(plot, count)) return;
  for (std::size_t piece = 0; piece < count; ++piece) {
    const std::size_t begin = model::column_begin(plot.window, piece, count);
    const std::size_t end = std::min(size, model::column_begin(plot.window, piece + 1, count));
    if (begin < end) visit(begin, end);
  }
}

ChartColumn column_of(double x, const Extremes& found, double scale) {
  ChartColumn column;
  column.x = x;
  column.low = scaled(found.lowest, scale);
  column.high = scaled(found.highest, scale);
  column.first = column.low;
  column.last = column.high;
  return column;
}

void widen(Extremes& range, const ChartColumn& column) {
  range.add(column.low);
  range.add(column.high);
}

constexpr std::size_t kMostLabel = 7;  // letters that fit beside a chart

/// Writes labels of more than six digits as powers of ten, since a label that is cut off looks like
/// another number. On a linear axis either all labels change or none.
void shorten_labels(AxisView& axis) {
  const auto wide = [](const Tick& tick) { return letter_count(tick.label) > kMostLabel; };
  const bool all = !axis.logarithmic && std::any_of(axis.ticks.begin(), axis.ticks.end(), wide);
  for (Tick& tick : axis.ticks) {
    constexpr int kDigits = 9;
    if ((all || wide(tick)) && tick.at != 0) tick.label = scientific_text(tick.at, kDigits);
    if (all && tick.at == 0) tick.label = "0";
  }
}

}  // namespace

std::vector<const model::Gaps*> gaps_of(const model::RunModel& model) {
  std::vector<const model::Gaps*> gaps;
  for (const Rank rank : model.ranks()) {
    if (!model.rank(rank)->gaps.empty()) gaps.push_back(&model.rank(rank)->gaps);
  }
  return gaps;
}

void BrokenColumns::add(std::size_t begin, std::size_t end, ChartColumn column) {
  const bool lost = known_ < begin && lost_between(plot_, known_, begin);
  column.anew =
      !into_.empty() && (broken_ || lost || plot_.x->stopped_between(into_.back().x, column.x));
  broken_ = false;
  known_ = end;
  into_.push_back(column);
}

bool lost_between(const Plotting& plot, std::size_t begin, std::size_t end) {
  return std::any_of(plot.gaps.begin(), plot.gaps.end(), [&](const model::Gaps* gaps) {
    return gaps->touch(static_cast<Step>(begin), static_cast<Step>(end));
  });
}

std::size_t first_of(const model::Window& window) { return model::column_begin(window, 0, 1); }
std::size_t end_of(const model::Window& window) { return model::column_begin(window, 1, 1); }

model::Window shown_window(const model::RunModel& model, const ChartChoice& choice) {
  if (choice.window.end > choice.window.begin) return choice.window;
  const auto trained = static_cast<std::int64_t>(model.steps_end());
  // Before the first step only the plan can be shown.
  const bool plan = choice.plan || trained == 0;
  const std::int64_t end = plan ? std::max(trained, model.steps_planned()) : trained;
  return {0, static_cast<double>(std::max<std::int64_t>(1, end))};
}

StartedChart::StartedChart(const model::RunModel& model, const ChartChoice& choice, int pixels,
                           std::string title, std::string subtitle)
    : scale(model, choice.axis) {
  chart.title = std::move(title);
  chart.subtitle = std::move(subtitle);
  chart.axis = scale.axis();
  plot.window = shown_window(model, choice);
  plot.pixels = pixels;
  plot.x = &scale;
  plot.gaps = gaps_of(model);
  chart.x = x_axis(model, scale, plot.window, pixels);
}

Plotting band_plotting(const Plotting& plot, std::size_t ranks) {
  constexpr int kMostExtremes = 200'000;
  constexpr int kFewestColumns = 100;
  Plotting band = plot;
  const int columns = kMostExtremes / static_cast<int>(std::max<std::size_t>(1, ranks));
  band.pixels = std::min(plot.pixels, std::max(kFewestColumns, columns));
  return band;
}

std::vector<Extremes> thinned(const Series& series, const Plotting& plot) {
  std::size_t count = 0;
  if (!pieces(plot, count)) return {};
  std::vector<Extremes> thin(count);
  series.columns(plot.window, thin);
  return thin;
}

void add_columns(const Series& series, std::span<const Extremes> thin, const Plotting& plot,
                 LineView& line, Extremes& range) {
  line.columns.reserve(line.columns.size() + thin.size());
  BrokenColumns columns(plot, line.columns);
  for (std::size_t piece = 0; piece < thin.size(); ++piece) {
    const Extremes& found = thin[piece];
    if (found.empty()) continue;
    const std::size_t begin = model::column_begin(plot.window, piece, thin.size());
    if (found.flags != 0) line.nan_at.push_back(x_at(plot, begin));
    if (!found.has_finite()) {
      columns.break_line();
      continue;
    }
    const std::size_t end =
        std::min(series.size(), model::column_begin(plot.window, piece + 1, thin.size()));
    ChartColumn column = column_of(x_at(plot, begin), found, plot.scale);
    column.first = scaled(or_else(series, begin, found.lowest), plot.scale);
    column.last = scaled(or_else(series, end - 1, found.highest), plot.scale);
    // A piece of two steps consists of its first and last value.
    column.mean = end - begin > 2 ? static_cast<float>(series.sum(begin, end).mean() * plot.scale)
                                  : (column.first + column.last) / 2;
    columns.add(begin, end, column);
    widen(range, column);
  }
}

void merge(std::span<const Extremes> thin, std::vector<Extremes>& spanned) {
  if (spanned.size() < thin.size()) spanned.resize(thin.size());
  for (std::size_t piece = 0; piece < thin.size(); ++piece) spanned[piece].add(thin[piece]);
}

void add_band(std::span<const Extremes> spanned, const Plotting& plot, BandView& band,
              Extremes& range) {
  BrokenColumns columns(plot, band.columns);
  for (std::size_t piece = 0; piece < spanned.size(); ++piece) {
    if (!spanned[piece].has_finite()) {
      if (spanned[piece].flags != 0) columns.break_line();
      continue;
    }
    const std::size_t begin = model::column_begin(plot.window, piece, spanned.size());
    const std::size_t end = model::column_begin(plot.window, piece + 1, spanned.size());
    columns.add(begin, end, column_of(x_at(plot, begin), spanned[piece], plot.scale));
    widen(range, band.columns.back());
  }
}

void add_means(const Series& series, const Plotting& plot, LineView& line, Extremes& range) {
  BrokenColumns columns(plot, line.columns);
  each_piece(plot, series.size(), [&](std::size_t begin, std::size_t end) {
    const auto sum = series.sum(begin, end);
    if (sum.count == 0) {
      if (series.extremes(begin, end).flags != 0) columns.break_line();
      return;
    }
    const auto mean = static_cast<float>(sum.mean() * plot.scale);
    columns.add(begin, end, single_column(x_at(plot, begin), mean));
    widen(range, line.columns.back());
  });
}

void add_smoothed(const Series& series, const Plotting& plot, int steps, LineView& line) {
  const auto half = static_cast<std::size_t>(std::max(1, steps)) / 2;
  BrokenColumns columns(plot, line.columns);
  each_piece(plot, series.size(), [&](std::size_t begin, std::size_t end) {
    // Lost steps are not filled with the values of their neighbours.
    const bool nothing = series.sum(begin, end).count == 0;
    if (nothing && lost_between(plot, begin, end)) return;
    if (nothing && series.extremes(begin, end).flags != 0) return columns.break_line();
    const std::size_t middle = begin + (end - begin) / 2;
    const std::size_t from = std::min(begin, middle > half ? middle - half : 0);
    const std::size_t to = std::min(series.size(), std::max(end, middle + half + 1));
    const auto sum = series.sum(from, to);
    if (sum.count == 0) return;
    const auto mean = static_cast<float>(sum.mean() * plot.scale);
    columns.add(begin, end, single_column(x_at(plot, begin), mean));
  });
}

void add_cursor(const model::RunModel& model, const ChartChoice& choice, const XScale& scale,
                ChartView& chart) {
  if (choice.cursor_step < 0 || choice.cursor_step >= static_cast<double>(model.steps_end()))
    return;
  chart.readout.shown = true;
  chart.readout.x = scale.x_of(choice.cursor_step);
}

AxisView y_axis(const Extremes& range, bool logarithmic, int height) {
  AxisView axis;
  const int most = std::max(4, height / 28);
  double low = range.has_finite() ? static_cast<double>(range.lowest) : 0;
  double high = range.has_finite() ? static_cast<double>(range.highest) : 1;
  axis.logarithmic = logarithmic && low > 0;
  if (axis.logarithmic) {
    axis.low = low * 0.93;
    axis.high = std::max(high * 1.07, axis.low * 1.1);
    axis.ticks = log_ticks(axis.low, axis.high, most);
    shorten_labels(axis);
    return axis;
  }
  const double margin = high > low ? (high - low) * 0.06 : std::max(std::abs(high) * 0.1, 1e-6);
  axis.low = low >= 0 && low - margin < 0 ? 0 : low - margin;
  axis.high = high + margin;
  axis.ticks = linear_ticks(axis.low, axis.high, most);
  shorten_labels(axis);
  return axis;
}

AxisView x_axis(const model::RunModel& model, const XScale& scale, const model::Window& window,
                int pixels) {
  double low = scale.x_of(window.begin);
  double high = scale.x_of(window.end);
  const auto known = static_cast<double>(model.steps_end());
  if (scale.axis() == XAxis::kTime) {
    if (window.begin <= 0) low = 0;
    if (known > 0 && window.end > known) high = scale.x_of(known) * window.end / known;
  }
  return x_axis_between(model, scale.axis(), low, high, pixels);
}

AxisView x_axis_between(const model::RunModel& model, XAxis what, double low, double high,
                        int pixels) {
  AxisView axis;
  axis.low = low;
  axis.high = high > low ? high : low + 1;
  const int most = std::max(2, pixels / 72);
  const bool from_1 = what == XAxis::kStep && !messages::is_watched(model.spec());
  const auto ticks = what == XAxis::kTime ? time_ticks : from_1 ? step_ticks : linear_ticks;
  axis.ticks = ticks(axis.low, axis.high, most);
  static constexpr const char* kUnits[] = {"step", "epoch", "time", "samples"};
  axis.unit = kUnits[static_cast<std::size_t>(what)];
  return axis;
}

Sentence no_steps_yet(const model::RunModel& model, const RunContext& context,
                      const BaselineContext& baseline) {
  std::int64_t joined = 0;
  for (const Rank rank : model.ranks()) joined += model.rank(rank)->hello ? 1 : 0;
  Sentence text;
  const double usual = baseline.model == nullptr
                           ? 0.0
                           : analysis::run_times(*baseline.model).start_up_s.value_or(0.0);
  const double waited =
      model.first_ns() > 0 ? static_cast<double>(context.now_ns - model.first_ns()) / 1e9 : 0;
  const auto& state = model.run_state();
  if (state && state->state == messages::State::kQueued && context.contact == Contact::kLive) {
    if (context.queued.empty()) {
      text.push_back({"Queued: it starts when the run before it has ended.", Style::kStrong});
    } else {
      text.push_back({"Queued ", Style::kStrong});
      text.push_back({context.queued + ".", Style::kWords});
    }
    return text;
  }
  const bool over = state && messages::is_final(state->state);
  if (over || context.contact == Contact::kInterrupted) {
    text.push_back({"This run ended before its first step. ", Style::kStrong});
  } else if (usual > waited) {
    text.push_back(
        {"First step expected in " + rough_duration_text(usual - waited) + ". ", Style::kStrong});
  } else {
    text.push_back({"No step yet. ", Style::kStrong});
  }
  if (messages::is_watched(model.spec())) {
    return {{"No step yet. ", Style::kStrong},
            {"Values of every name are under Metrics; \"loss\", \"train/loss\" and the like are "
             "those of steps.",
             Style::kDim}};
  }
  if (joined == 0 && !model.spec().program.argv.empty()) {
    if (over || context.contact == Contact::kInterrupted)
      text = {{"The program of this run sent no telemetry. ", Style::kStrong}};
    text.push_back({label::kOutputIsInLog, Style::kDim});
    if (const std::string why = unseen_program(model); !why.empty())
      text.push_back({" " + why, Style::kDim});
    return text;
  }
  text.push_back({"Start-up: " + count_text(joined) + " of " +
                      plural(model.world_size(), "rank", "ranks") + " joined.",
                  Style::kDim});
  return text;
}

bool has_failed(const model::RankModel& rank) {
  return rank.state && rank.state->state == messages::State::kFailed;
}

std::vector<Rank> drawn_ranks(const model::RunModel& model) {
  const auto all = model.ranks();
  if (static_cast<Rank>(all.size()) <= kMaxRankLines) return {all.begin(), all.end()};
  std::vector<Rank> marked;
  for (const Rank rank : all) {
    const auto& loss = model.rank(rank)->series(model::Metric::kLoss);
    const bool odd = has_failed(*model.rank(rank)) || loss.extremes(0, loss.size()).flags != 0;
    if (odd && static_cast<Rank>(marked.size()) < kMaxRankLines) marked.push_back(rank);
  }
  return marked;
}

bool is_hidden(const ChartChoice& choice, Rank rank) {
  return std::binary_search(choice.hidden.begin(), choice.hidden.end(), rank);
}

}  // namespace ringside::view
