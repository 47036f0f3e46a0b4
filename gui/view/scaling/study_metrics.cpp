#include "gui/view/scaling/study_metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "gui/view/number_format.h"
#include "gui/view/scaling/scaling_view.h"

namespace ringside::view {
namespace {

using analysis::RunMeasure;
using analysis::Spread;

constexpr StudyMetric kStudyMetrics[] = {
    {"val_accuracy", "Val acc", "final validation accuracy", "Accuracy of the last validation",
     &RunMeasure::val_accuracy, StudyMetricKind::kAccuracy, true},
    {"best_val_accuracy", "Best acc", "best validation accuracy",
     "Highest accuracy of a validation of the run", &RunMeasure::best_val_accuracy,
     StudyMetricKind::kAccuracy, false},
    {"val_loss", "Val loss", "final validation loss", "Loss of the last validation",
     &RunMeasure::val_loss, StudyMetricKind::kLoss, true},
    {"best_val_loss", "Best loss", "best validation loss", "Lowest loss of a validation of the run",
     &RunMeasure::best_val_loss, StudyMetricKind::kLoss, false},
    {"train_loss", "Train loss", "final training loss",
     "Mean loss of the last epoch, else of the newest step", &RunMeasure::train_loss,
     StudyMetricKind::kLoss, true},
    {"seconds", "Time", "time", "From the first step to the end of the last epoch",
     &RunMeasure::seconds, StudyMetricKind::kSeconds, true}};

bool is_sound(const StudySettingFacts& setting) {
  return std::ranges::none_of(setting.runs, &StudyRun::loss_broke);
}

}  // namespace

const char* StudyMetric::unit() const {
  if (kind == StudyMetricKind::kSeconds) return "s";
  return kind == StudyMetricKind::kAccuracy ? "%" : "";
}

int StudyMetric::decimals(double value_of_it) const {
  if (kind == StudyMetricKind::kSeconds) return study_decimals(value_of_it);
  return kind == StudyMetricKind::kAccuracy ? 2 : 4;
}

std::span<const StudyMetric> study_metrics() { return kStudyMetrics; }

const StudyMetric* find_metric(const std::string& key) {
  const auto* const found = std::ranges::find_if(
      kStudyMetrics, [&](const StudyMetric& metric) { return key == metric.key; });
  return found == std::end(kStudyMetrics) ? nullptr : found;
}

const StudyMetric* chosen_metric(const StudyFacts& facts) {
  if (!facts.best_by.empty()) return find_metric(facts.best_by);
  const auto* const found = std::ranges::find_if(kStudyMetrics, [&](const StudyMetric& metric) {
    return metric.usual && ranked_by(facts, metric).size() > 1;
  });
  return found == std::end(kStudyMetrics) ? nullptr : found;
}

Spread spread_over_runs(const analysis::ScalingSetting& setting, const StudyMetric& metric) {
  std::vector<double> values;
  for (const RunMeasure& run : setting.runs) values.push_back(run.*metric.value);
  return analysis::spread_of(values);
}

std::string mean_text(const StudyMetric& metric, const Spread& spread) {
  const int decimals = metric.decimals(spread.mean);
  const std::string text = decimal_text(spread.mean * metric.scale(), decimals);
  if (spread.count < 2) return text;
  return text + " ± " + decimal_text(spread.deviation * metric.scale(), decimals);
}

std::string mean_in_unit(const StudyMetric& metric, const Spread& spread) {
  const std::string unit = metric.unit();
  return mean_text(metric, spread) + (unit.empty() ? "" : " " + unit);
}

std::vector<RankedSetting> ranked_by(const StudyFacts& facts, const StudyMetric& metric) {
  std::vector<RankedSetting> ranked;
  for (std::size_t i = 0; i < facts.settings.size() && i < facts.measured.size(); ++i) {
    const Spread spread = spread_over_runs(facts.measured[i], metric);
    if (spread.count > 0 && is_sound(facts.settings[i])) ranked.push_back({i, spread});
  }
  const double sign = metric.more_is_better() ? -1 : 1;
  std::ranges::stable_sort(ranked, {},
                           [sign](const RankedSetting& one) { return sign * one.spread.mean; });
  return ranked;
}

double setting_number(const std::string& value) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  const bool all = !value.empty() && end == value.c_str() + value.size() && std::isfinite(number);
  return all ? number : RunMeasure::kNone;
}

}  // namespace ringside::view
