// Builds the chart of one quantity of a study against devices.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gui/view/number_format.h"
#include "gui/view/scaling/scaling_view.h"

namespace ringside::view {
namespace {

using analysis::ScalingPoint;

/// Above this number of devices the axis is logarithmic.
constexpr double kMostLinear = 16;
/// A fit that misses a point by a larger share is listed in the table of fits but not drawn.
constexpr double kWorstDrawn = 0.15;

struct Value {
  double y = analysis::RunMeasure::kNone;
  double low = y;
  double high = y;
};

Value value_of(const analysis::Spread& spread, double scale = 1) {
  return {spread.mean * scale, spread.low * scale, spread.high * scale};
}

Value value_of(const ScalingPoint& point, ScalingMetric metric) {
  if (!point.measured) return {};
  const double devices = static_cast<double>(point.devices);
  switch (metric) {
    case ScalingMetric::kSpeedup:
      return value_of(point.speedup);
    case ScalingMetric::kEfficiency:
      if (std::isnan(point.efficiency)) return {};
      return value_of(point.speedup, 100 / devices);
    case ScalingMetric::kTime:
      return value_of(point.seconds);
    case ScalingMetric::kSamples:
      return value_of(point.samples_per_s);
    case ScalingMetric::kAccuracy:
    case ScalingMetric::kCount:
      break;
  }
  return value_of(point.accuracy, 100);
}

std::string value_text(double y, ScalingMetric metric) {
  switch (metric) {
    case ScalingMetric::kSpeedup:
      return speedup_text(y);
    case ScalingMetric::kEfficiency:
      return percent_text(y / 100);
    case ScalingMetric::kTime:
      return decimal_text(y, study_decimals(y)) + " s";
    case ScalingMetric::kSamples:
      return count_text(std::llround(y));
    case ScalingMetric::kAccuracy:
    case ScalingMetric::kCount:
      break;
  }
  return accuracy_text(y / 100);
}

bool is_single(const std::string& series) {
  return series != "weak" && series != "strong" && series != runs::kBaselineSeries;
}

std::string legend_of(const std::string& series, const StudyFacts& facts) {
  const StudySettingFacts* baseline = facts.settings.empty() ? nullptr : &facts.settings.front();
  const std::string batch = baseline == nullptr || baseline->per_rank_batch == 0
                                ? ""
                                : count_text(baseline->per_rank_batch);
  if (batch.empty()) return series_words(series, facts);
  if (series == "weak")
    return "Weak: " + batch + (facts.on_gpus ? " per GPU" : " per rank") + ", global batch grows";
  if (series == "strong") return "Strong: global batch " + batch + " kept";
  return series_words(series, facts);
}

std::string size_of(const ScalingPoint& point, const StudyFacts& facts) {
  for (const StudySettingFacts& setting : facts.settings) {
    if (setting.key == point.key) return size_text(setting);
  }
  return count_text(point.devices);
}

ScalingDot dot_of(const ScalingPoint& point, ScalingMetric metric, const StudyFacts& facts) {
  const Value value = value_of(point, metric);
  ScalingDot dot;
  dot.x = static_cast<double>(point.devices);
  dot.y = value.y;
  dot.low = value.low;
  dot.high = value.high;
  dot.key = point.key;
  dot.value = value_text(value.y, metric);
  if (metric == ScalingMetric::kSpeedup && std::isfinite(point.efficiency))
    dot.aside = percent_text(point.efficiency);
  if (is_single(point.series)) dot.aside = series_words(point.series, facts);
  const std::string size = size_of(point, facts);
  dot.hollow = point.judged() && !point.passed();
  if (point.accurate_enough && !*point.accurate_enough)
    dot.problem = "val " + accuracy_text(point.accuracy.mean);
  dot.hint = series_words(point.series, facts) + " on " + size + ": " + dot.value + ", " +
             value_text(value.low, metric) + " to " + value_text(value.high, metric) + " over " +
             plural(static_cast<std::int64_t>(point.seconds.count), "run", "runs");
  return dot;
}

/// Adds a series through the baseline; the baseline alone is a series of its own.
void add_series(const StudyFacts& facts, const analysis::Scaling& scaling, ScalingMetric metric,
                ScalingChart& chart) {
  std::vector<std::string> names;
  for (const ScalingPoint& point : scaling.points) {
    if (std::ranges::find(names, point.series) == names.end()) names.push_back(point.series);
  }
  // The baseline is drawn last, over the ends of the lines.
  std::rotate(names.begin(), names.begin() + (names.empty() ? 0 : 1), names.end());
  for (const std::string& name : names) {
    ScalingSeries series;
    series.name = name;
    series.legend = legend_of(name, facts);
    series.token = series_token(name);
    series.marker = series_marker(name);
    series.joined = !is_single(name) && name != runs::kBaselineSeries;
    for (const ScalingPoint& point : scaling.points) {
      const bool start = series.joined && point.series == runs::kBaselineSeries;
      if (point.series != name && !start) continue;
      ScalingDot dot = dot_of(point, metric, facts);
      if (start) dot.value = dot.aside = dot.key = "";
      if (std::isfinite(dot.y)) series.dots.push_back(std::move(dot));
    }
    std::ranges::sort(series.dots,
                      [](const ScalingDot& a, const ScalingDot& b) { return a.x < b.x; });
    const bool alone = series.joined && series.dots.size() == 1 && series.dots[0].key.empty();
    if (!series.dots.empty() && !alone) chart.series.push_back(std::move(series));
  }
}

/// Published times come from other machines, so they are listed as text instead of drawn as points.
std::string published_times(const StudyFacts& facts, const analysis::Scaling& scaling) {
  std::string text;
  for (const PublishedPoint& one : published_points(facts, scaling)) {
    if (one.figure->what != "total_seconds") continue;
    text += (text.empty() ? "published on other hardware: " : ", ") + one.figure->printed + " (" +
            one.key + ")";
  }
  return text;
}

/// Adds the values that the source published, by its own clock; times from other machines are not
/// drawn as points.
void add_published(const StudyFacts& facts, const analysis::Scaling& scaling, ScalingMetric metric,
                   ScalingChart& chart) {
  const std::map<ScalingMetric, std::string> kWhat{{ScalingMetric::kSpeedup, "speedup"},
                                                   {ScalingMetric::kEfficiency, "efficiency"},
                                                   {ScalingMetric::kAccuracy, "val_accuracy"}};
  const auto what = kWhat.find(metric);
  if (what == kWhat.end()) return;
  ScalingSeries series;
  series.name = "published";
  series.legend = "Published by the source";
  series.token = Token::kDim;
  series.marker = Marker::kDiamond;
  series.published = true;
  for (const PublishedPoint& one : published_points(facts, scaling)) {
    if (one.figure->what != what->second) continue;
    const double scale = metric == ScalingMetric::kSpeedup ? 1 : 100;
    ScalingDot dot;
    dot.x = static_cast<double>(one.figure->ranks.value_or(1));
    dot.y = dot.low = dot.high = *one.figure->value * scale;
    dot.hollow = true;
    dot.value = value_text(dot.y, metric);
    dot.aside = "published";
    const bool known = std::isfinite(one.ours);
    dot.hint = "Published for " + one.key + ": " + one.figure->printed +
               (known ? "; ours by its clock " + value_text(one.ours * scale, metric) : "");
    series.dots.push_back(std::move(dot));
  }
  if (!series.dots.empty()) chart.series.push_back(std::move(series));
}

/// Adds, beside the ideal, the measured speedup of the devices without any gradient exchange.
void add_ceilings(const StudyFacts& facts, const analysis::Scaling& scaling, ScalingMetric metric,
                  ScalingChart& chart) {
  if (metric != ScalingMetric::kSpeedup) return;
  std::map<std::int64_t, const StudySettingFacts*> ceilings;
  for (const StudySettingFacts& setting : facts.settings) {
    if (has_ceiling(setting, scaling)) ceilings[setting.devices] = &setting;
  }
  if (ceilings.empty()) return;
  ScalingSeries series;
  series.name = "ceiling";
  series.legend = "Ceiling: as many copies at once, without exchange";
  series.token = Token::kDim;
  series.marker = Marker::kCross;
  series.joined = true;
  for (const auto& [devices, setting] : ceilings) {
    ScalingDot dot;
    dot.x = static_cast<double>(devices);
    dot.y = dot.low = dot.high = setting->ceiling;
    dot.value = speedup_text(setting->ceiling);
    dot.aside = "ceiling";
    dot.hint = setting->ceiling_hint;
    series.dots.push_back(std::move(dot));
  }
  chart.series.push_back(std::move(series));
}

/// Adds the fitted law of each series, if it is Amdahl's and close enough, as a line from 1 to
/// `most` devices.
void add_curves(const analysis::Scaling& scaling, ScalingMetric metric, double most,
                ScalingChart& chart) {
  if (metric != ScalingMetric::kSpeedup && metric != ScalingMetric::kTime) return;
  for (const SeriesFit& one : series_fits(scaling)) {
    if (one.fit.law != analysis::Law::kAmdahl || one.fit.worst > kWorstDrawn) continue;
    const double one_device = scaling.points.front().seconds.mean;
    ScalingCurve curve{series_token(one.series), {}};
    constexpr int kPoints = 48;
    for (int i = 0; i <= kPoints; ++i) {
      const double x = std::pow(most, static_cast<double>(i) / kPoints);
      const double seconds = one.fit.seconds_at(x);
      curve.points.emplace_back(x, metric == ScalingMetric::kTime ? seconds : one_device / seconds);
    }
    chart.curves.push_back(std::move(curve));
  }
}

/// Returns "8", or "2 × 4" if this number of devices is only used on several nodes.
std::string tick_text(double devices, const StudyFacts& facts) {
  std::string text;
  for (const StudySettingFacts& setting : facts.settings) {
    if (static_cast<double>(setting.devices) != devices) continue;
    if (setting.nodes == 1) return count_text(setting.devices);
    text = size_text(setting);
  }
  return text.empty() ? count_text(std::llround(devices)) : text;
}

AxisView devices_axis(const std::set<double>& devices, const StudyFacts& facts) {
  AxisView axis;
  const double most = devices.empty() ? 4 : *devices.rbegin();
  axis.unit = facts.on_gpus ? "GPUs" : "ranks";
  axis.logarithmic = most > kMostLinear;
  axis.low = axis.logarithmic ? 0.85 : 1 - std::max(0.15, (most - 1) * 0.056);
  axis.high = axis.logarithmic ? most * 1.2 : most + std::max(0.15, (most - 1) * 0.056);
  for (const double one : devices) axis.ticks.push_back({one, tick_text(one, facts)});
  if (devices.empty()) axis.ticks = {{1, "1"}, {2, "2"}, {4, "4"}};
  return axis;
}

AxisView value_axis(const ScalingChart& chart, ScalingMetric metric) {
  double low = metric == ScalingMetric::kAccuracy ? 100 : 0;
  double high = metric == ScalingMetric::kEfficiency ? 100 : 0;
  for (const ScalingSeries& series : chart.series) {
    for (const ScalingDot& dot : series.dots) {
      low = std::min(low, std::isfinite(dot.low) ? dot.low : dot.y);
      high = std::max(high, std::isfinite(dot.high) ? dot.high : dot.y);
    }
  }
  for (const auto& [x, y] : chart.ideal) high = std::max(high, y);
  for (const LimitView& limit : chart.limits) {
    low = std::min(low, limit.y);
    high = std::max(high, limit.y);
  }
  if (!(high > low)) high = low + 1;
  const double room = (high - low) * 0.05;
  AxisView axis;
  axis.low = metric == ScalingMetric::kAccuracy ? low - room : 0;
  axis.high = high + room;
  const auto unit_of = [metric](const std::string& label) {
    if (metric == ScalingMetric::kSpeedup) return label + "×";
    const bool share = metric == ScalingMetric::kEfficiency || metric == ScalingMetric::kAccuracy;
    return share ? label + " %" : label;
  };
  axis.ticks = linear_ticks(axis.low, axis.high, 9);
  for (Tick& tick : axis.ticks) tick.label = unit_of(tick.label);
  axis.unit = metric == ScalingMetric::kTime ? "s" : "";
  return axis;
}

void add_goal(const StudyFacts& facts, ScalingMetric metric, ScalingChart& chart) {
  if (!facts.goal) return;
  const double cut = facts.goal->least_time_cut;
  if (metric == ScalingMetric::kSpeedup && cut < 1) {
    chart.limits.push_back(
        {1 / (1 - cut),
         "gate: time cut " + percent_text(cut) + " is " + speedup_text(1 / (1 - cut)), Tone::kOk});
  }
  if (metric == ScalingMetric::kAccuracy) {
    const double least = facts.goal->val_accuracy_above;
    chart.limits.push_back({least * 100, "gate: above " + percent_text(least), Tone::kOk});
  }
}

}  // namespace

ScalingChart build_scaling_chart(const StudyFacts& facts, const analysis::Scaling& scaling,
                                 ScalingMetric metric) {
  ScalingChart chart;
  const std::string device = facts.on_gpus ? "GPU" : "rank";
  if (facts.study.of_settings()) {
    chart.title = "Scaling";
    chart.x = devices_axis({}, facts);
    chart.y = value_axis(chart, metric);
    chart.empty = {
        {"This study compares settings on one number of devices; its table says which "
         "takes longer.",
         Style::kDim}};
    return chart;
  }
  chart.title = metric == ScalingMetric::kSpeedup
                    ? "Speedup against one " + device
                    : std::string(name_of(metric)) + " against " + device + "s";
  const std::int64_t repeats = facts.study.head.repeats;
  chart.subtitle = repeats > 1 ? "bars: lowest to highest of " + count_text(repeats) + " repeats"
                               : "one run each";
  if (const std::string times = published_times(facts, scaling);
      metric == ScalingMetric::kTime && !times.empty())
    chart.subtitle += "; " + times;
  std::set<double> devices;
  for (const ScalingPoint& point : scaling.points)
    devices.insert(static_cast<double>(point.devices));
  add_series(facts, scaling, metric, chart);
  add_published(facts, scaling, metric, chart);
  if (!chart.series.empty()) add_ceilings(facts, scaling, metric, chart);
  const double most = devices.empty() ? 1 : *devices.rbegin();
  add_curves(scaling, metric, most, chart);
  chart.x = devices_axis(devices, facts);
  if (metric == ScalingMetric::kSpeedup && most > 1) {
    constexpr int kPoints = 24;
    for (int i = 0; i <= kPoints; ++i) {
      const double x =
          chart.x.low + (chart.x.high - chart.x.low) * static_cast<double>(i) / kPoints;
      chart.ideal.emplace_back(x, x);
    }
  }
  add_goal(facts, metric, chart);
  chart.y = value_axis(chart, metric);
  for (const ScalingPoint& point : scaling.points) chart.goal = chart.goal || point.judged();
  if (chart.series.empty()) {
    chart.empty = {{"No run has finished. The first is that of one " + device + ".", Style::kDim}};
  } else if (devices.size() == 1) {
    chart.empty = {{"Add a point with 2 or more " + device + "s.", Style::kDim}};
  }
  return chart;
}

}  // namespace ringside::view
