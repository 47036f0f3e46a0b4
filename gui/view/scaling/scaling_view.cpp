#include "gui/view/scaling/scaling_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "gui/view/chart/chart_menu.h"
#include "gui/view/number_format.h"
#include "gui/view/published.h"
#include "gui/view/scaling/combinations.h"
#include "gui/view/scaling/study_experiment.h"

namespace ringside::view {
namespace {

/// Returns whether a preset's published results are about this series: the same kind of scaling,
/// strategy and precision. A preset that a setting names belongs to it in any case.
bool is_about(const launch::NamedPreset& preset, const std::string& series,
              const std::string& recipe) {
  if (preset.name != recipe || series == runs::kBaselineSeries) return true;
  const messages::RunSpec& spec = preset.file.spec.full;
  if (series == "dp") return spec.devices.parallel == "dp";
  if (series == "weak" || series == "strong")
    return spec.devices.parallel == "ddp" &&
           (spec.batch.meaning == "per_rank") == (series == "weak");
  return spec.train.precision == series;
}

double ours_of(const launch::PublishedFigure& figure, const analysis::ScalingPoint& point,
               const StudyFacts& facts) {
  const analysis::Clock clock = clock_of(figure);
  const double speedup = clock == analysis::Clock::kTrainPass  ? point.train_pass_speedup
                         : clock == analysis::Clock::kWholeRun ? point.whole_run_speedup
                                                               : point.speedup.mean;
  if (figure.what == "speedup") return speedup;
  if (figure.what == "time_cut") return 1 - 1 / speedup;
  if (figure.what == "efficiency")
    return speedup / point.speedup.mean * point.efficiency;  // NaN where the precision differs
  if (figure.what == "val_accuracy") return point.accuracy.mean;
  if (figure.what == "accuracy_delta") return point.accuracy_delta;
  std::vector<double> seconds;
  for (const auto& setting : facts.measured) {
    if (setting.key != point.key) continue;
    for (const auto& run : setting.runs) {
      seconds.push_back(clock == analysis::Clock::kTrainPass  ? run.train_pass_s
                        : clock == analysis::Clock::kWholeRun ? run.whole_run_s
                                                              : run.seconds);
    }
  }
  const double mean = analysis::spread_of(seconds).mean;
  const double epochs = static_cast<double>(std::max<std::int64_t>(1, facts.epochs));
  return figure.what == "epoch_seconds" ? mean / epochs : mean;
}

bool is_compared(std::string_view what) {
  constexpr std::array<std::string_view, 7> kWhat{"speedup",      "efficiency",     "time_cut",
                                                  "val_accuracy", "accuracy_delta", "epoch_seconds",
                                                  "total_seconds"};
  return std::find(kWhat.begin(), kWhat.end(), what) != kWhat.end();
}

std::string goal_text(const launch::PublishedGate& goal) {
  return "Gate: time cut ≥ " + percent_text(goal.least_time_cut) + " and val acc > " +
         percent_text(goal.val_accuracy_above);
}

Sentence head_of(const StudyFacts& facts) {
  const auto settings = static_cast<std::int64_t>(facts.study.settings.size());
  const std::int64_t repeats = facts.study.head.repeats;
  Sentence head{{facts.recipe, Style::kWords}};
  if (facts.epochs > 0) {
    head.push_back({" · ", Style::kDim});
    head.push_back({count_text(facts.epochs), Style::kStrongNumber});
    head.push_back({facts.epochs == 1 ? " epoch" : " epochs", Style::kWords});
  }
  head.push_back({"   " + count_text(settings), Style::kStrongNumber});
  head.push_back({settings == 1 ? " setting × " : " settings × ", Style::kWords});
  head.push_back({count_text(repeats), Style::kStrongNumber});
  head.push_back({repeats == 1 ? " repeat = " : " repeats = ", Style::kWords});
  head.push_back({count_text(settings * repeats), Style::kStrongNumber});
  head.push_back({settings * repeats == 1 ? " run" : " runs", Style::kWords});
  return head;
}

Sentence baseline_of(const StudyFacts& facts, const analysis::Scaling& scaling) {
  if (facts.settings.empty() || facts.settings.front().runs.empty() || facts.study.of_settings())
    return {};
  const auto& runs = facts.settings.front().runs;
  const analysis::Spread seconds =
      scaling.points.empty() ? analysis::Spread{} : scaling.points.front().seconds;
  const StudyRun* const typical = typical_run(facts.settings.front());
  const std::string& label = typical == nullptr ? runs.front().label : typical->label;
  Sentence words{{"baseline ", Style::kWords}, {label + " ", Style::kNumber}};
  if (std::isfinite(seconds.mean)) {
    const int decimals = study_decimals(seconds.mean);
    words.push_back({decimal_text(seconds.mean, decimals) + " s", Style::kStrongNumber});
    if (seconds.count > 1)
      words.push_back({" ± " + decimal_text(seconds.deviation, decimals), Style::kDim});
  }
  return words;
}

/// Returns the verdict on all compared runs: a single unfair run makes the study unfair.
std::string fairness_of(const StudyFacts& facts, std::optional<bool>& fair) {
  std::vector<const StudyRun*> unfair, unknown, judged;
  for (const StudySettingFacts& setting : facts.settings) {
    for (const StudyRun& run : setting.runs) {
      if (run.fair_text.empty()) continue;
      judged.push_back(&run);
      if (!run.fair) unknown.push_back(&run);
      if (run.fair == false) unfair.push_back(&run);
    }
  }
  if (judged.empty()) return {};
  const auto all = static_cast<std::int64_t>(judged.size());
  if (!unfair.empty()) {
    fair = false;
    return " Not fair in " + count_text(static_cast<std::int64_t>(unfair.size())) + " of " +
           plural(all, "run", "runs") + "; " + unfair.front()->label + ": " +
           unfair.front()->fair_text;
  }
  if (!unknown.empty()) return " " + unknown.front()->fair_text;
  fair = true;
  return " Fair in all " + plural(all, "run", "runs") + ".";
}

/// Sets the one-sentence result, about the setting with most devices.
void add_result(const StudyFacts& facts, const analysis::Scaling& scaling, ScalingView& view) {
  if (facts.study.of_settings()) {
    view.result = facts.study.of_pairs() ? pair_words(facts) : best_words(facts);
    if (facts.study.of_pairs()) return;
    if (const std::string time = time_words(facts); !time.empty())
      view.result += (view.result.empty() ? "" : " ") + time;
    return;
  }
  std::size_t chosen = 0;
  for (std::size_t i = 1; i < scaling.points.size(); ++i) {
    const auto& point = scaling.points[i];
    if (point.measured && (chosen == 0 || point.devices > scaling.points[chosen].devices))
      chosen = i;
  }
  if (chosen == 0) return;
  const auto& point = scaling.points[chosen];
  view.result = series_words(point.series, facts) + " on " + size_text(facts.settings[chosen]) +
                (facts.on_gpus ? " GPUs: " : " ranks: ") + spread_text(point.speedup) + ", " +
                plural(static_cast<std::int64_t>(point.seconds.count), "run", "runs") +
                " against " +
                count_text(static_cast<std::int64_t>(scaling.points.front().seconds.count)) +
                " of the baseline." + fairness_of(facts, view.fair);
}

}  // namespace

std::string spread_text(const analysis::Spread& speedup) {
  return speedup_text(speedup.mean) +
         (speedup.count > 1 ? " ± " + decimal_text(speedup.deviation, 2) : "");
}

analysis::Scaling scaling_of(const StudyFacts& facts) {
  std::optional<analysis::GateLimits> goal;
  if (facts.goal)
    goal = analysis::GateLimits{facts.goal->ranks, facts.goal->least_time_cut,
                                facts.goal->val_accuracy_above};
  return analysis::scaling_of(facts.measured, goal);
}

std::vector<PublishedPoint> published_points(const StudyFacts& facts,
                                             const analysis::Scaling& scaling) {
  std::vector<PublishedPoint> found;
  for (std::size_t i = 0; i < facts.settings.size() && i < scaling.points.size(); ++i) {
    const StudySettingFacts& setting = facts.settings[i];
    if (!setting.preset || !is_about(*setting.preset, setting.series, facts.study.head.recipe))
      continue;
    for (const auto& figure : setting.preset->file.published.figures) {
      const bool holds = figure.ranks && *figure.ranks == setting.devices && figure.value &&
                         figure.against == "one_device" && is_compared(figure.what);
      if (holds) found.push_back({setting.key, &figure, ours_of(figure, scaling.points[i], facts)});
    }
  }
  return found;
}

std::vector<SeriesFit> series_fits(const analysis::Scaling& scaling) {
  std::vector<SeriesFit> fits;
  for (const std::string series : {"weak", "strong"}) {
    std::vector<analysis::TimedPoint> points;
    double most = 1;
    for (const analysis::ScalingPoint& point : scaling.points) {
      if (!point.measured || (point.series != series && point.series != runs::kBaselineSeries))
        continue;
      points.push_back({static_cast<double>(point.devices), point.seconds.mean});
      most = std::max(most, static_cast<double>(point.devices));
    }
    for (const auto law : {analysis::Law::kAmdahl, analysis::Law::kExchange}) {
      if (auto fit = analysis::fit_scaling(points, law, series == "strong", 2 * most))
        fits.push_back({series, std::move(*fit)});
    }
  }
  return fits;
}

ScalingView build_scaling_view(const StudyFacts& facts, ScalingMetric metric) {
  ScalingView view;
  view.name = facts.study.head.study;
  view.problem = facts.study.problem;
  const analysis::Scaling scaling = scaling_of(facts);
  const StudyProgress progress = progress_of(facts);
  view.head = head_of(facts);
  view.progress = progress_text(facts);
  view.progress_tone = progress.complete() ? Tone::kOk
                       : progress.live     ? Tone::kInfo
                                           : Tone::kWarning;
  view.progress_shape = progress.complete() ? Shape::kDot
                        : progress.live     ? Shape::kTriangleRight
                                            : Shape::kSquare;
  view.baseline = baseline_of(facts, scaling);
  if (facts.goal && !facts.study.of_settings()) view.goal = goal_text(*facts.goal);
  add_result(facts, scaling, view);
  view.chart = build_scaling_chart(facts, scaling, metric);
  view.parallel = build_parallel_view(facts);
  view.table = build_settings_table(facts, scaling);
  view.more = build_study_tables(facts, scaling);
  view.published = has_source(facts) && !facts.study.of_settings();
  view.settings = facts.study.of_settings();
  view.can_stop = progress.live;
  view.deletes = delete_words(facts);
  // The window can train missing runs, but it cannot ask a library for further settings.
  const bool lacks = progress.complete() ? pair_facts(facts).next_repeats > 0
                                         : progress.failed > 0 || facts.study.ask.library.empty();
  view.can_continue = !progress.live && lacks;
  const std::int64_t repeats = facts.study.head.repeats;
  view.subtitle =
      (repeats > 1 ? "mean ± standard deviation of " + count_text(repeats) + " repeats; "
                   : std::string("one run each; ")) +
      "whole runs, start-up left out";
  // The chart of settings already says it.
  const bool is_said = !view.parallel.axes.empty();
  if (!view.result.empty() && progress.complete() && !is_said) view.subtitle = view.result;
  return view;
}

Menu scaling_chart_menu() {
  return {{label::kSaveData, "", ExportStudy{StudyFileKind::kCsv}},
          {label::kSaveImagePng, "", ExportStudy{StudyFileKind::kPng}},
          {label::kSaveImageSvg, "", ExportStudy{StudyFileKind::kSvg}}};
}

}  // namespace ringside::view
