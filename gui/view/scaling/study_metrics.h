// The metrics by which the settings of a study are ranked: one list for the study's table, sentence
// and chart, and for a library that proposes settings. Pure; any thread.
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
  bool usual;  ///< candidate for ranking without a choice; the first with known values counts

  bool more_is_better() const { return kind == StudyMetricKind::kAccuracy; }
  /// Returns the factor of the shown value: accuracies are shown in percent.
  double scale() const { return kind == StudyMetricKind::kAccuracy ? 100 : 1; }
  const char* unit() const;  ///< "%", "s", ""
  int decimals(double value) const;
};

std::span<const StudyMetric> study_metrics();
/// Returns the metric of this key; null if there is none.
const StudyMetric* find_metric(const std::string& key);
/// Returns the metric of facts.best_by, else the first usual one that is known for two settings;
/// null if there is none.
const StudyMetric* chosen_metric(const StudyFacts& facts);

analysis::Spread spread_over_runs(const analysis::ScalingSetting& setting,
                                  const StudyMetric& metric);
/// Returns "91.20 ± 0.31", without the unit.
std::string mean_text(const StudyMetric& metric, const analysis::Spread& spread);
/// Returns "91.20 ± 0.31 %", with the unit.
std::string mean_in_unit(const StudyMetric& metric, const analysis::Spread& spread);

struct RankedSetting {
  std::size_t place = 0;  ///< index of the setting
  analysis::Spread spread;
};
/// Returns the settings with a known metric, the best first, without those whose loss became NaN or
/// Inf.
std::vector<RankedSetting> ranked_by(const StudyFacts& facts, const StudyMetric& metric);

/// Returns the value of a setting as a number; NaN if it is a word.
double setting_number(const std::string& value);

}  // namespace ringside::view
