#include "gui/view/scaling/parallel_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/view/number_format.h"
#include "gui/view/scaling/study_metrics.h"

namespace ringside::view {
namespace {

/// Values of a setting that each get a tick of their own; of more of them the axis is numbered.
constexpr std::size_t kMostValueTicks = 6;
constexpr int kAxisTicks = 6;
/// Ticks that are nearer to the one below have no room for their label.
constexpr double kLabelRoom = 0.09;
/// Highest value over the lowest from which on values stand on a logarithmic axis, as rates do.
constexpr double kLogarithmicFrom = 10;

using SettingValue = std::pair<std::string, std::string>;
using SettingValues = std::vector<SettingValue>;

/// A setting that is varied: where each of its values stands.
struct Scale {
  std::string name;
  std::vector<std::string> texts;  ///< its values, each once
  bool numbers = true;
  AxisView axis;

  double share(const std::string& text) const {
    const auto place = std::ranges::find(texts, text) - texts.begin();
    const double value = numbers ? setting_number(text) : static_cast<double>(place);
    return axis.high > axis.low ? axis_share(axis, value) : 0.5;
  }
};

void settle(Scale& scale) {
  scale.numbers = std::ranges::all_of(
      scale.texts, [](const auto& text) { return std::isfinite(setting_number(text)); });
  if (!scale.numbers) {
    scale.axis.high = static_cast<double>(scale.texts.size()) - 1;
    return;
  }
  std::ranges::sort(scale.texts, {}, setting_number);
  scale.axis.low = setting_number(scale.texts.front());
  scale.axis.high = setting_number(scale.texts.back());
  scale.axis.logarithmic =
      scale.axis.low > 0 && scale.axis.high / scale.axis.low >= kLogarithmicFrom;
}

std::vector<Scale> scales_of(const std::vector<SettingValues>& settings) {
  std::vector<Scale> scales;
  for (const SettingValues& values : settings) {
    for (const auto& [name, text] : values) {
      auto scale = std::ranges::find(scales, name, &Scale::name);
      if (scale == scales.end()) scale = scales.insert(scales.end(), {name, {}, true, {}});
      if (std::ranges::count(scale->texts, text) == 0) scale->texts.push_back(text);
    }
  }
  for (Scale& scale : scales) settle(scale);
  return scales;
}

/// Takes the labels off that would stand over the one below.
std::vector<Tick> readable(std::vector<Tick> ticks) {
  double last = -1;
  for (Tick& tick : ticks) {
    if (tick.at - last < kLabelRoom) {
      tick.label.clear();
    } else {
      last = tick.at;
    }
  }
  return ticks;
}

/// Round values between the ends of an axis.
std::vector<Tick> round_ticks(const AxisView& axis) {
  auto ticks = axis.logarithmic ? log_ticks(axis.low, axis.high, kAxisTicks)
                                : linear_ticks(axis.low, axis.high, kAxisTicks);
  for (Tick& tick : ticks) tick.at = axis_share(axis, tick.at);
  return ticks;
}

ParallelAxis axis_of(const Scale& scale) {
  if (scale.numbers && scale.texts.size() > kMostValueTicks)
    return {scale.name, readable(round_ticks(scale.axis))};
  ParallelAxis axis{scale.name, {}};
  for (const std::string& text : scale.texts) axis.ticks.push_back({scale.share(text), text});
  axis.ticks = readable(std::move(axis.ticks));
  return axis;
}

/// The run of a setting that a press opens: one that finished, else the newest.
std::string opened_run(const StudySettingFacts& setting) {
  const StudyRun* const typical = typical_run(setting);
  if (typical != nullptr) return typical->id;
  return setting.runs.empty() ? std::string() : setting.runs.back().id;
}

/// "lr=0.03: Val acc 91.00 ± 1.41 %; #3, #4", with the states of runs that did not finish.
std::string hint_of(const StudySettingFacts& setting, const StudyMetric* metric,
                    const analysis::Spread& spread) {
  std::string text = setting.series;
  if (metric != nullptr && spread.count > 0)
    text += ": " + std::string(metric->label) + " " + mean_in_unit(*metric, spread);
  const char* between = "; ";
  for (const StudyRun& run : setting.runs) {
    text += between + run.label;
    if (!run.finished() || run.loss_broke) text += " " + run.word;
    if (run.loss_broke && !run.detail.empty()) text += " (" + run.detail + ")";
    between = ", ";
  }
  return text;
}

/// The metric's axis over all that is known of it.
AxisView metric_axis(const StudyMetric& metric, const std::vector<RankedSetting>& ranked) {
  AxisView axis;
  axis.low = std::min(ranked.front().spread.mean, ranked.back().spread.mean) * metric.scale();
  axis.high = std::max(ranked.front().spread.mean, ranked.back().spread.mean) * metric.scale();
  return axis;
}

ParallelAxis metric_axis_view(const StudyMetric& metric, const AxisView& axis) {
  const std::string unit = metric.unit();
  ParallelAxis view{metric.label + (unit.empty() ? "" : " " + unit), {}};
  if (axis.high > axis.low) {
    view.ticks = readable(round_ticks(axis));
  } else {
    view.ticks = {{0.5, decimal_text(axis.low, metric.decimals(axis.low / metric.scale()))}};
  }
  return view;
}

/// Where the lines end, by what they reached.
void add_metric(const StudyMetric& metric, const std::vector<RankedSetting>& ranked,
                ParallelView& view) {
  const AxisView axis = metric_axis(metric, ranked);
  view.axes.back() = metric_axis_view(metric, axis);
  for (const RankedSetting& one : ranked) {
    ParallelLine& line = view.lines[one.place];
    const bool flat = !(axis.high > axis.low);
    const double share = flat ? 0.5 : axis_share(axis, one.spread.mean * metric.scale());
    line.known = true;
    line.at.back() = share;
    line.strength = flat ? 1 : metric.more_is_better() ? share : 1 - share;
    line.best = ranked.size() > 1 && &one == &ranked.front();
  }
  std::ranges::stable_sort(view.lines, [](const ParallelLine& a, const ParallelLine& b) {
    return std::pair(a.known, a.strength) < std::pair(b.known, b.strength);
  });
}

/// Lines in the order of the settings, of which the metric is not known yet.
std::vector<ParallelLine> lines_of(const StudyFacts& facts,
                                   const std::vector<SettingValues>& values,
                                   const std::vector<Scale>& scales, const StudyMetric* metric) {
  std::vector<ParallelLine> lines;
  const std::size_t rows = std::min(facts.settings.size(), facts.measured.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const StudySettingFacts& setting = facts.settings[i];
    ParallelLine line;
    line.key = setting.key;
    for (const Scale& scale : scales) {
      const auto own = std::ranges::find(values[i], scale.name, &SettingValue::first);
      line.at.push_back(own == values[i].end() ? analysis::RunMeasure::kNone
                                               : scale.share(own->second));
    }
    line.at.push_back(analysis::RunMeasure::kNone);
    const auto spread =
        metric == nullptr ? analysis::Spread() : spread_over_runs(facts.measured[i], *metric);
    line.hint = hint_of(setting, metric, spread);
    line.run = opened_run(setting);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

ParallelView build_parallel_view(const StudyFacts& facts) {
  ParallelView view;
  if (!facts.study.of_settings() || facts.study.of_pairs()) return view;
  std::vector<SettingValues> values;
  for (const auto& setting : facts.study.settings) values.push_back(setting.values());
  const auto scales = scales_of(values);
  if (scales.empty()) return view;
  for (const Scale& scale : scales) view.axes.push_back(axis_of(scale));
  const StudyMetric* metric = chosen_metric(facts);
  for (const StudyMetric& one : study_metrics()) {
    if (&one == metric || !ranked_by(facts, one).empty())
      view.metrics.push_back({one.key, one.label});
  }
  // One setting alone ranks nothing, but shows already what it reached.
  if (metric == nullptr && !view.metrics.empty()) metric = find_metric(view.metrics.front().key);
  view.lines = lines_of(facts, values, scales, metric);
  view.axes.push_back({metric == nullptr ? "Not measured yet" : metric->label, {}});
  const auto ranked = metric == nullptr ? std::vector<RankedSetting>() : ranked_by(facts, *metric);
  view.title = "Settings" + (metric == nullptr ? "" : " and " + std::string(metric->words));
  view.subtitle = ranked.empty() ? "a line for each combination; none has told it yet"
                                 : "a line for each combination, the stronger the better";
  if (metric == nullptr) return view;
  view.metric = static_cast<std::size_t>(
      std::ranges::find(view.metrics, metric->key, &MetricChoice::key) - view.metrics.begin());
  if (!ranked.empty()) add_metric(*metric, ranked, view);
  return view;
}

}  // namespace ringside::view
