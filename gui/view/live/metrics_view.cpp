#include "gui/view/live/metrics_view.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/chart/chart_notes.h"
#include "gui/view/chart/chart_parts.h"
#include "gui/view/chart/scalar_lines.h"
#include "gui/view/number_format.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

using model::ScalarName;
using model::ScalarSeries;

/// Names that changed within this time are ordered by their first record. Otherwise charts would
/// swap positions in every step.
constexpr std::int64_t kJustNowNs = 10'000'000'000;
/// The limit of extremes that a chart reads; the band of many ranks has fewer columns.
constexpr int kMostExtremes = 20'000;
constexpr int kFewestColumns = 40;

bool holds(const std::string& name, const std::string& part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
}

/// Compares digits as numbers: layer_2 is before layer_10.
bool name_before(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) {
    return std::min(text.find_first_not_of("0123456789"), text.size());
  };
  while (!a.empty() && !b.empty()) {
    const std::string_view left = a.substr(0, std::max<std::size_t>(1, digits(a)));
    const std::string_view right = b.substr(0, std::max<std::size_t>(1, digits(b)));
    const bool numbers = digits(a) > 0 && digits(b) > 0;
    if (numbers && left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
    a.remove_prefix(left.size());
    b.remove_prefix(right.size());
  }
  return a.size() < b.size();
}

std::int64_t changed_ns(const ScalarName& name) {
  std::int64_t newest = 0;
  for (std::size_t i = 0; i < name.ranks().size(); ++i)
    newest = std::max(newest, name.series(i).changed_ns());
  return newest;
}

void sort_names(const model::RunModel& model, MetricOrder order,
                std::vector<const ScalarName*>& names) {
  if (order == MetricOrder::kName) {
    std::sort(names.begin(), names.end(), [](const ScalarName* a, const ScalarName* b) {
      return name_before(a->name(), b->name());
    });
  }
  if (order != MetricOrder::kChanged) return;
  std::vector<std::pair<std::int64_t, const ScalarName*>> timed;
  const std::int64_t just_now = model.last_ns() - kJustNowNs;
  for (const ScalarName* name : names)
    timed.emplace_back(std::min(changed_ns(*name), just_now), name);
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = timed[i].second;
}

Sentence how_to_log() {
  return {{"This run has logged no metrics. ", Style::kStrong},
          {"In Python rs.log(name=value) of ringside_rank logs one. Any other program sends a "
           "Scalar record (name, step, value) to the agent of its run, which agent.json in the run "
           "folder names: protocol/wire/FORMAT.md, and type 12 of protocol/messages/FORMAT.md.",
           Style::kDim}};
}

bool shows_time(const ChartChoice& choice) { return choice.axis == XAxis::kTime; }

/// Shows all values of the name, or the steps that the person chose for all charts.
void choose_window(const model::RunModel& model, const ScalarName& name, const ChartChoice& choice,
                   ScalarPlot& plot) {
  plot.show_all(name);
  if (!(choice.window.end > choice.window.begin)) return;
  const XScale scale(model, plot.axis);
  if (scale.axis() != plot.axis) return;
  plot.low = scale.x_of(choice.window.begin);
  plot.high = scale.x_of(choice.window.end);
}

/// The number of the step that is stored as 0.
std::int64_t first_step_of(const model::RunModel& model, const ScalarName& name) {
  return name.own_steps() ? 0 : messages::first_step_number(model.spec());
}

AxisView axis_of(const ScalarPlot& plot, bool own_steps) {
  AxisView axis;
  axis.low = plot.low;
  // A width of 1 would be lost in the rounding of the largest steps.
  axis.high = plot.high > plot.low ? plot.high : plot.low + std::max(1.0, plot.low * 1e-12);
  const bool time = plot.axis == XAxis::kTime;
  axis.unit = time ? "time" : "step";
  const int most = std::max(3, plot.pixels / 56);
  const auto ticks = time ? time_ticks : own_steps ? linear_ticks : step_ticks;
  axis.ticks = ticks(axis.low, axis.high, most);
  return axis;
}

std::vector<Rank> visible_ranks(const ScalarName& name, const ChartChoice& choice) {
  std::vector<Rank> ranks;
  for (std::size_t i = name.first_rank(); i < name.ranks().size(); ++i) {
    if (!is_hidden(choice, name.ranks()[i])) ranks.push_back(name.ranks()[i]);
  }
  return ranks;
}

void add_rank_lines(const model::RunModel& model, const ScalarName& name,
                    const std::vector<Rank>& ranks, const ScalarPlot& plot, ChartView& chart,
                    model::Extremes& range) {
  for (const Rank rank : ranks) {
    LineView line;
    line.rank = rank;
    line.label = rank_label(rank);
    const model::RankModel* known = model.rank(rank);
    line.ends_in_cross = known != nullptr && has_failed(*known);
    add_scalar_line(*name.of(rank), plot, line, range);
    chart.lines.push_back(std::move(line));
  }
}

bool is_thinned(const LineView& line) {
  return std::any_of(line.columns.begin(), line.columns.end(),
                     [](const ChartColumn& column) { return column.low < column.high; });
}

/// Adds the lines of few ranks, over a band if a pixel has several values, as these would hide the
/// lines of the other ranks; with many ranks only the band.
void add_ranks(const model::RunModel& model, const ScalarName& name, std::vector<Rank> ranks,
               const ScalarPlot& plot, ChartView& chart, model::Extremes& range) {
  const auto most = static_cast<std::size_t>(kMaxRankLines);
  const bool many = ranks.size() > most && !name.mean().empty();
  if (ranks.size() > most && !many) ranks.resize(most);
  if (!many) add_rank_lines(model, name, ranks, plot, chart, range);
  if (!many && std::none_of(chart.lines.begin(), chart.lines.end(), is_thinned)) return;
  ScalarPlot coarse = plot;
  const int columns = kMostExtremes / static_cast<int>(ranks.size());
  coarse.pixels = std::min(plot.pixels, std::max(kFewestColumns, columns));
  add_scalar_band(name, ranks, coarse, chart.band, range);
}

/// Adds the values logged for the whole run, and the mean of the ranks.
void add_whole(const ScalarName& name, const ScalarPlot& plot, ChartView& chart,
               model::Extremes& range) {
  if (const ScalarSeries* whole = name.of(kNoRank); whole != nullptr) {
    LineView line;
    line.kind = name.first_rank() == name.ranks().size() ? LineKind::kMean : LineKind::kBaseline;
    add_scalar_line(*whole, plot, line, range);
    chart.lines.push_back(std::move(line));
  }
  if (name.mean().empty()) return;
  LineView line;
  line.kind = LineKind::kMean;
  line.label = "mean";
  add_scalar_means(name.mean(), plot, line, range);
  chart.lines.push_back(std::move(line));
}

/// The index of the value whose x is nearest.
std::size_t nearest(const ScalarSeries& series, const ScalarPlot& plot, double x) {
  const std::size_t behind = std::min(plot.place_of(series, x), series.size() - 1);
  if (behind == 0) return 0;
  const double after = plot.x_of(series, behind) - x;
  return x - plot.x_of(series, behind - 1) < after ? behind - 1 : behind;
}

}  // namespace

bool MetricsChoice::is_pinned(const std::string& name) const {
  return std::find(pinned.begin(), pinned.end(), name) != pinned.end();
}

void MetricsChoice::toggle_pin(const std::string& name) {
  if (std::erase(pinned, name) == 0) pinned.push_back(name);
}

MetricsView build_metrics_view(const model::RunModel& model, const MetricsChoice& choice) {
  MetricsView view;
  const auto& all = model.scalars().names();
  std::vector<const ScalarName*> names;
  for (const ScalarName& name : all) {
    if (holds(name.name(), choice.search)) names.push_back(&name);
  }
  sort_names(model, choice.order, names);
  std::stable_partition(names.begin(), names.end(), [&choice](const ScalarName* name) {
    return choice.is_pinned(name->name());
  });
  for (const ScalarName* name : names) view.names.push_back(name->name());
  const auto count = static_cast<std::int64_t>(all.size());
  const auto shown = static_cast<std::int64_t>(names.size());
  if (count > 0) view.count = (shown < count ? count_text(shown) + " of " : "") + count_text(count);
  if (count == 0) view.empty = how_to_log();
  if (count > 0 && shown == 0) view.empty = {{"No name holds this text.", Style::kDim}};
  return view;
}

ChartView build_metric_chart(const model::RunModel& model, const ScalarName& name,
                             const ChartChoice& choice, int pixels, int height) {
  ChartView chart;
  chart.title = shown_name(name.name());
  const model::ScalarLatest latest = name.latest();
  if (latest.step != model::kNoStep) chart.aside = value_text(latest.value);
  if (latest.mean) chart.subtitle = "mean";
  ScalarPlot plot(model, shows_time(choice) ? XAxis::kTime : XAxis::kStep, pixels);
  chart.axis = plot.axis;
  choose_window(model, name, choice, plot);
  chart.x = axis_of(plot, first_step_of(model, name) == 0);
  model::Extremes range;
  add_ranks(model, name, visible_ranks(name, choice), plot, chart, range);
  add_whole(name, plot, chart, range);
  chart.y = y_axis(range, false, height);
  const bool drawn = std::any_of(chart.lines.begin(), chart.lines.end(), [](const LineView& line) {
    return !line.columns.empty() || !line.nan_at.empty();
  });
  if (!drawn) chart.empty = {{"No value in these steps.", Style::kDim}};
  return chart;
}

std::string metric_readout(const model::RunModel& model, const ScalarName& name,
                           const ChartChoice& choice, double x) {
  const ScalarPlot plot(model, shows_time(choice) ? XAxis::kTime : XAxis::kStep, 1);
  std::string text = shown_name(name.name());
  const ScalarSeries* guide = main_series(name);
  if (guide == nullptr) return text;
  const Step step = guide->step_at(nearest(*guide, plot, x));
  text += "\nstep " + value_step_text(step, first_step_of(model, name));
  const auto add = [&](const ScalarSeries& series, const std::string& label) {
    const std::size_t place = series.place_of_step(step);
    if (place == series.size() || series.step_at(place) != step) return;
    text += "\n" + label + "  " + value_text(static_cast<double>(series.values().at(place)));
  };
  add(name.mean(), "mean");
  if (const ScalarSeries* whole = name.of(kNoRank); whole != nullptr) add(*whole, "run");
  const std::vector<Rank> ranks = visible_ranks(name, choice);
  if (ranks.size() > static_cast<std::size_t>(kMaxRankLines)) return text;
  for (const Rank rank : ranks) add(*name.of(rank), rank_label(rank));
  return text;
}

void MetricCharts::begin_frame(const std::string& run) {
  if (run != run_) kept_.clear();
  run_ = run;
  std::erase_if(kept_, [](const auto& entry) { return !entry.second.asked; });
  for (auto& entry : kept_) entry.second.asked = false;
}

const ChartView* MetricCharts::chart(const Source& source, const std::string& name, int pixels,
                                     int height) {
  const ScalarName* values = source.model.scalars().find(name);
  if (values == nullptr) return nullptr;
  Kept& kept = kept_[name];
  kept.asked = true;
  if (kept.revision == 0 || kept.numbers != source.numbers) kept.revision = values->revision();
  kept.numbers = source.numbers;
  const Key key{kept.revision,
                shows_time(source.choice),
                source.choice.window,
                source.choice.hidden,
                {source.notes.begin(), source.notes.end()},
                pixels,
                height};
  return &kept.chart.get(key, [&] {
    ++builds_;
    auto chart = build_metric_chart(source.model, *values, source.choice, pixels, height);
    add_notes(source.model, source.notes, chart);
    return chart;
  });
}

}  // namespace ringside::view
