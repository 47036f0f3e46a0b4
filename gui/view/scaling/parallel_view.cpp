#include "gui/view/scaling/parallel_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/view/number_format.h"
#include "gui/view/scaling/study_metrics.h"

namespace ringside::view {
namespace {

/// Up to this many values of a setting get a tick each; an axis with more has round numbers.
constexpr std::size_t kMostValueTicks = 6;
constexpr int kAxisTicks = 6;
/// A tick closer than this share of the axis to the one below has no room for its label.
constexpr double kLabelRoom = 0.09;
/// An axis is logarithmic, as for learning rates, from this ratio of highest to lowest value.
constexpr double kLogarithmicFrom = 10;

using SettingValue = std::pair<std::string, std::string>;
using SettingValues = std::vector<SettingValue>;

/// The axis of a varied setting, with the position of each of its values.
struct Scale {
  std::string name;
  std::vector<std::string> texts;  ///< its distinct values
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

/// Removes labels that would overlap the one below.
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

/// Returns ticks at round values between the ends of an axis.
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

/// Returns the run of a setting that a click opens: a finished one, else the newest.
std::string opened_run(const StudySettingFacts& setting) {
  const StudyRun* const typical = typical_run(setting);
  if (typical != nullptr) return typical->id;
  return setting.runs.empty() ? std::string() : setting.runs.back().id;
}

/// Returns the hint, "lr=0.03: Val acc 91.00 ± 1.41 %; #3, #4", with the states of runs that did
/// not finish.
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

/// Returns the axis of the metric over all its known values.
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

/// Adds the metric's axis and ends each line at its value.
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

/// Returns lines in the order of the settings, without the metric.
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
  // A single setting cannot be ranked, but its value is shown.
  if (metric == nullptr && !view.metrics.empty()) metric = find_metric(view.metrics.front().key);
  view.lines = lines_of(facts, values, scales, metric);
  view.axes.push_back({metric == nullptr ? "Not measured yet" : metric->label, {}});
  const auto ranked = metric == nullptr ? std::vector<RankedSetting>() : ranked_by(facts, *metric);
  view.title = "Settings" + (metric == nullptr ? "" : " and " + std::string(metric->words));
  view.subtitle = ranked.empty() ? "a line for each combination; none has reported it yet"
                                 : "a line for each combination, the stronger the better";
  if (metric == nullptr) return view;
  view.metric = static_cast<std::size_t>(
      std::ranges::find(view.metrics, metric->key, &MetricChoice::key) - view.metrics.begin());
  if (!ranked.empty()) add_metric(*metric, ranked, view);
  return view;
}

}  // namespace ringside::view
