// Metrics that the settings of a study are ranked by: one table of them for the study's table, its
// sentence, its chart and whoever asks for the next settings. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gui/view/scaling/study_facts.h"

namespace ringside::view {

enum class StudyMetricKind : std::uint8_t { kAccuracy, kLoss, kSeconds };

struct StudyMetric {
  const char* key;    ///< for scripts: "val_accuracy"
  const char* label;  ///< "Val acc"
  const char* words;  ///< "final validation accuracy"
  const char* hint;
  double analysis::RunMeasure::*value;
  StudyMetricKind kind;
  bool usual;  ///< ranks where nobody chose; the first of these that is known counts

  bool more_is_better() const { return kind == StudyMetricKind::kAccuracy; }
  /// What a value is shown in: percent of an accuracy.
  double scale() const { return kind == StudyMetricKind::kAccuracy ? 100 : 1; }
  const char* unit() const;  ///< "%", "s", ""
  int decimals(double value) const;
};

std::span<const StudyMetric> study_metrics();
/// Null where no metric has that key.
const StudyMetric* find_metric(const std::string& key);
/// By facts.best_by, else the first usual one of which two settings are known; null: none.
const StudyMetric* chosen_metric(const StudyFacts& facts);

analysis::Spread spread_over_runs(const analysis::ScalingSetting& setting,
                                  const StudyMetric& metric);
/// "91.20 ± 0.31", without the unit.
std::string mean_text(const StudyMetric& metric, const analysis::Spread& spread);
/// The same with it: "91.20 ± 0.31 %".
std::string mean_in_unit(const StudyMetric& metric, const analysis::Spread& spread);

struct RankedSetting {
  std::size_t place = 0;  ///< among the settings
  analysis::Spread spread;
};
/// Settings of which the metric is known, the best first; without those whose loss broke.
std::vector<RankedSetting> ranked_by(const StudyFacts& facts, const StudyMetric& metric);

/// The number that a value of a setting is; NaN: it is a word.
double setting_number(const std::string& value);

}  // namespace ringside::view
