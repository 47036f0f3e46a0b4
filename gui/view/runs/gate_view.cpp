#include "gui/view/runs/gate_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

using analysis::LimitVerdict;
using analysis::Pace;
using analysis::Slowdown;

Tone verdict_tone(LimitVerdict verdict) {
  if (verdict == LimitVerdict::kPass) return Tone::kOk;
  return verdict == LimitVerdict::kFail ? Tone::kError : Tone::kWarning;
}

double mean_of_steps(const std::vector<Pace>& paces) {
  double sum = 0;
  for (const Pace& pace : paces) sum += pace.step_ns;
  return sum / static_cast<double>(paces.size());
}

std::string amount_text(const std::vector<Pace>& paces) {
  Step steps = 0;
  for (const Pace& pace : paces) steps += pace.steps;
  const auto runs = static_cast<std::int64_t>(paces.size());
  return plural(steps, "timed step", "timed steps") +
         (runs > 1 ? " of " + count_text(runs) + " runs" : "");
}

/// "2.1 % slower"
std::string slower_words(double slower) {
  return decimal_text(std::abs(100 * slower), 1) + (slower < 0 ? " % faster" : " % slower");
}

std::string slowdown_sentence(const GateFacts& facts, const Slowdown& found) {
  std::string text = fmt::format("Steps of {} are {} than those of {} ({} to {} at 95 %)",
                                 facts.run, slower_words(found.slower.value), facts.baseline,
                                 change_text(found.slower.low), change_text(found.slower.high));
  const std::string limit = change_text(facts.max_slower);
  if (found.verdict == LimitVerdict::kFail) return text + ": more than " + limit + ".";
  if (found.verdict == LimitVerdict::kPass) return text + ": within " + limit + ".";
  return text + ": the noise is too large to tell whether that is within " + limit + ".";
}

/// Says what would decide a comparison that is within the noise.
std::string needed_text(const GateFacts& facts, const Slowdown& found) {
  const bool alone = facts.ours.size() + facts.theirs.size() == 2;
  if (found.times_as_many <= 0)
    return "The difference is at the limit itself: no number of steps decides it. Choose another "
           "--max-slower.";
  const auto times = static_cast<std::int64_t>(std::ceil(found.times_as_many));
  const std::string many =
      "about " + count_text(std::max<std::int64_t>(2, times)) + " times as many ";
  if (found.of_repeats)
    return "It takes " + many + "repeats of both, or a quieter machine, to tell.";
  return "It takes " + many + "steps" + (alone ? ", or repeats of both in a study" : "") +
         ", or a quieter machine, to tell.";
}

std::string parts_text(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, "; "));
}

void add_pace_check(const GateFacts& facts, GateView& view) {
  const Slowdown found = analysis::slowdown(facts.ours, facts.theirs, facts.max_slower);
  view.slowdown = found;
  add_row(
      view.table,
      {text_cell("step time"), text_cell(verdict_text(found.verdict), verdict_tone(found.verdict)),
       text_cell(change_text(found.slower.value) + " (" + change_text(found.slower.low) + " to " +
                 change_text(found.slower.high) + ")"),
       text_cell("at most " + change_text(facts.max_slower)),
       text_cell(ms_text(mean_of_steps(facts.ours))),
       text_cell(ms_text(mean_of_steps(facts.theirs)))});
  auto& notes = view.table.notes;
  notes.push_back(slowdown_sentence(facts, found));
  if (found.verdict == LimitVerdict::kTooNoisy) notes.push_back(needed_text(facts, found));
  notes.push_back("Over " + amount_text(facts.ours) + " against " + amount_text(facts.theirs) +
                  ", warm-up left out." +
                  (facts.ours.size() + facts.theirs.size() > 2
                       ? ""
                       : " By one run each: what differs between repeats of one run is not in the "
                         "interval."));
}

LimitVerdict add_accuracy(const GateFacts& facts, GateView& view) {
  const auto verdict =
      facts.accuracy >= *facts.min_accuracy ? LimitVerdict::kPass : LimitVerdict::kFail;
  const std::string least = accuracy_text(*facts.min_accuracy);
  add_row(view.table,
          {text_cell("accuracy"), text_cell(verdict_text(verdict), verdict_tone(verdict)),
           text_cell(accuracy_text(facts.accuracy)), text_cell("at least " + least), unknown_cell(),
           unknown_cell()});
  view.table.notes.push_back(
      "The last validation of " + facts.run + " reached " + accuracy_text(facts.accuracy) +
      (verdict == LimitVerdict::kPass ? ": at least " : ": less than ") + least + ".");
  return verdict;
}

void add_notes(const GateFacts& facts, std::vector<std::string>& notes) {
  if (!facts.other_work.empty())
    notes.push_back("The steps have other work: " + parts_text(facts.other_work) + ".");
  if (!facts.other_settings.empty())
    notes.push_back("Beside that differs: " + parts_text(facts.other_settings) + ".");
  for (const std::string& text : facts.disturbances) notes.push_back(text);
}

}  // namespace

std::string verdict_text(LimitVerdict verdict) {
  if (verdict == LimitVerdict::kPass) return "pass";
  return verdict == LimitVerdict::kFail ? "fail" : "too noisy to tell";
}

GateView build_gate_view(const GateFacts& facts) {
  GateView view;
  view.table = {"gate", ""};
  view.table.columns = {{"check", "Check"}, {"verdict", "Verdict"}, {"measured", "Measured"},
                        {"limit", "Limit"}, {"run", facts.run},     {"baseline", facts.baseline}};
  auto& notes = view.table.notes;
  std::vector<LimitVerdict> verdicts;
  if (!facts.failure.empty()) {
    verdicts.push_back(LimitVerdict::kFail);
    add_row(view.table, {text_cell("run"), text_cell("fail", Tone::kError), text_cell("failed"),
                         text_cell("finished"), unknown_cell(), unknown_cell()});
    notes.push_back(facts.failure);
  } else {
    if (!facts.ours.empty()) {
      add_pace_check(facts, view);
      verdicts.push_back(view.slowdown->verdict);
    }
    if (facts.min_accuracy) verdicts.push_back(add_accuracy(facts, view));
  }
  const auto has = [&](LimitVerdict one) {
    return std::find(verdicts.begin(), verdicts.end(), one) != verdicts.end();
  };
  view.verdict = has(LimitVerdict::kFail)       ? LimitVerdict::kFail
                 : has(LimitVerdict::kTooNoisy) ? LimitVerdict::kTooNoisy
                                                : LimitVerdict::kPass;
  add_notes(facts, notes);
  view.table.title = "Gate: " + facts.run +
                     (facts.baseline.empty() ? "" : " against " + facts.baseline) + ": " +
                     verdict_text(view.verdict);
  return view;
}

std::optional<double> share_of(std::string text) {
  const bool percent = text.ends_with('%');
  if (percent) text = std::string(trimmed(std::string_view(text).substr(0, text.size() - 1)));
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string::npos)
    return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || (!percent && value > 1)) return std::nullopt;
  return percent ? value / 100 : value;
}

}  // namespace ringside::view
