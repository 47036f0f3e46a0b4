#include "gui/doctor/check.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace ringside::doctor {

std::string_view name_of(Outcome outcome) {
  if (outcome == Outcome::kPass) return "pass";
  return outcome == Outcome::kFail ? "fail" : "skipped";
}

CheckResult result_of(const CheckKind& kind, CheckVerdict judgement, double seconds) {
  CheckResult result{kind, Outcome::kPass, std::move(judgement.measures), {}, seconds};
  const bool holds = std::all_of(result.measures.begin(), result.measures.end(),
                                 [](const Measure& measure) { return measure.holds; });
  if (!holds) result.outcome = Outcome::kFail;
  if (!judgement.skipped.empty()) {
    result.outcome = Outcome::kSkipped;
    result.reason = std::move(judgement.skipped);
  }
  return result;
}

CheckResult skipped(const CheckKind& kind, std::string reason) {
  return {kind, Outcome::kSkipped, {}, std::move(reason), 0};
}

CheckResult broken(const CheckKind& kind, std::string reason, double seconds) {
  return {kind, Outcome::kFail, {}, std::move(reason), seconds};
}

std::string result_text(const CheckResult& result) {
  std::string text = result.reason;
  std::set<std::string> standing;
  const auto add = [&text, &standing](const Measure& measure) {
    std::string said = measure.sentence;
    if (!measure.limit.empty()) said += " (limit " + measure.limit + ")";
    if (!standing.insert(said).second) return;  // the same sentence for another rank
    if (!text.empty()) text += "; ";
    text += said;
  };
  for (const Measure& measure : result.measures) {
    if (!measure.holds) add(measure);
  }
  for (const Measure& measure : result.measures) {
    if (measure.holds) add(measure);
  }
  return text;
}

}  // namespace ringside::doctor
