// Whether a run passes a gate: no slower than a baseline, and as accurate as required. A table with
// a row for each check, and notes. Pure.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gui/analysis/scaling/pace.h"
#include "gui/view/table.h"

namespace ringside::view {

struct GateFacts {
  std::string run;       ///< "#4"
  std::string baseline;  ///< empty: only accuracy is checked
  std::string failure;   ///< why the run itself counts as failed; empty: it did not fail
  double max_slower = std::numeric_limits<double>::quiet_NaN();
  std::vector<analysis::Pace> ours;    ///< the run and its repeats; none without a baseline
  std::vector<analysis::Pace> theirs;  ///< the baseline and its repeats
  std::optional<double> min_accuracy;
  double accuracy = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> other_work;      ///< differences in work that were allowed
  std::vector<std::string> other_settings;  ///< differing settings that may be the reason
  std::vector<std::string> disturbances;
};

struct GateView {
  analysis::LimitVerdict verdict = analysis::LimitVerdict::kPass;
  std::optional<analysis::Slowdown> slowdown;  ///< if both were timed
  Table table;                                 ///< a row per check; its notes have the rest
};
GateView build_gate_view(const GateFacts& facts);

/// "pass", "fail", "too noisy to tell"
std::string verdict_text(analysis::LimitVerdict verdict);

/// A share as people type it, "5%" or "0.05"; nothing if it is neither.
std::optional<double> share_of(std::string text);

}  // namespace ringside::view
