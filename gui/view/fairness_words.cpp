#include "gui/view/fairness_words.h"

#include "gui/analysis/findings/fairness.h"

namespace ringside::view {

Verdict fairness_verdict(const model::RunModel& run, const model::RunModel& baseline) {
  Verdict verdict;
  verdict.reasons = analysis::unfair(run, baseline);
  for (const auto& reason : verdict.reasons) {
    std::string& text = verdict.text.empty() ? verdict.text : verdict.more;
    if (!text.empty()) text += " ";
    text += reason.text;
  }
  verdict.fair = analysis::is_fair(verdict.reasons, run, baseline);
  if (verdict.unfair()) verdict.tone = Tone::kWarning;
  if (!verdict.reasons.empty()) return verdict;
  verdict.text = analysis::fair_text(run, baseline);
  if (verdict.fair) verdict.tone = Tone::kOk;
  return verdict;
}

}  // namespace ringside::view
