// Two settings in pairs of runs: the result, whether more pairs are needed, and both in words.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "gui/view/number_format.h"
#include "gui/view/scaling/combinations.h"

namespace ringside::view {
namespace {

using analysis::PairVerdict;
using analysis::RunMeasure;

/// The two runs of a repeat, if both were measured.
struct Pair {
  const RunMeasure* first = nullptr;
  const RunMeasure* second = nullptr;
  template <class Value>
  bool have(const Value& value) const {
    return value(*first) > 0 && value(*second) > 0;
  }
};

std::vector<const RunMeasure*> by_repeat(const StudyFacts& facts, std::size_t place) {
  std::vector<const RunMeasure*> measures(static_cast<std::size_t>(facts.study.head.repeats));
  const auto& measured = facts.measured[place].runs;
  std::size_t next = 0;
  for (const StudyRun& run : facts.settings[place].runs) {
    if (!run.finished() || next >= measured.size()) continue;
    const RunMeasure& measure = measured[next++];
    const auto at = static_cast<std::size_t>(run.repeat - 1);
    if (!run.loss_broke && at < measures.size()) measures[at] = &measure;
  }
  return measures;
}

/// Whether the samples of both are known and alike. The record of a last step may be lost.
bool trained_alike_samples(const RunMeasure& first, const RunMeasure& second) {
  if (std::min(first.samples, second.samples) <= 0) return false;
  const auto batch = [](const RunMeasure& run) {
    return run.samples / std::max<std::int64_t>(1, run.steps);
  };
  return std::abs(first.samples - second.samples) <= std::max(batch(first), batch(second));
}

/// Says how unequal the work of two runs was; empty: it was equal. Other batch sizes take other
/// steps for the same samples, or other samples in the same steps.
std::string unequal_words(const RunMeasure& first, const RunMeasure& second) {
  const bool alike =
      std::abs(first.steps - second.steps) <= 1 || trained_alike_samples(first, second);
  if (first.first_step == second.first_step && alike) return {};
  const auto work = [](const RunMeasure& run) {
    return plural(run.steps, "step", "steps") +
           (run.first_step > 0 ? " after step " + count_text(run.first_step) : "");
  };
  return "one trained " + work(first) + ", the other " + work(second) +
         ": does the program go on from its own snapshot?";
}

/// Pairs whose runs did unequal work are left out, and `unequal` is how the first of them did.
std::vector<Pair> pairs_of(const StudyFacts& facts, std::string& unequal) {
  std::vector<Pair> pairs;
  if (!facts.study.of_pairs() || facts.settings.size() != 2 || facts.measured.size() != 2)
    return pairs;
  const auto first = by_repeat(facts, 0);
  const auto second = by_repeat(facts, 1);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == nullptr || second[i] == nullptr) continue;
    std::string words = unequal_words(*first[i], *second[i]);
    if (words.empty()) pairs.push_back({first[i], second[i]});
    if (unequal.empty()) unequal = std::move(words);
  }
  return pairs;
}

/// A way to compare the runs of a pair: the finest of these that all pairs have is used. All but
/// the last exclude start-up, warm-up and evaluation.
struct PairClock {
  const char* what;
  double (*seconds)(const RunMeasure&);  ///< NaN: unknown
};
constexpr PairClock kPairClocks[] = {
    {"sample",
     [](const RunMeasure& run) {
       return run.pace ? 1 / run.pace->samples_per_s : RunMeasure::kNone;
     }},
    {"step",
     [](const RunMeasure& run) { return run.pace ? run.pace->step_ns : RunMeasure::kNone; }},
    {"run", [](const RunMeasure& run) { return run.wall_s; }}};

const PairClock* pair_clock(const std::vector<Pair>& pairs) {
  for (const PairClock& clock : kPairClocks) {
    if (std::ranges::all_of(pairs, [&](const Pair& pair) { return pair.have(clock.seconds); }))
      return &clock;
  }
  return nullptr;
}

double pair_seconds(const std::vector<Pair>& pairs) {
  double seconds = 0;
  for (const Pair& pair : pairs) {
    for (const RunMeasure* run : {pair.first, pair.second})
      if (run->wall_s > 0) seconds += run->wall_s;
  }
  return seconds;
}

/// Says how many runs were disturbed, and what disturbed the first of them; empty if none was.
std::string disturbed_words(const StudyFacts& facts) {
  std::vector<const StudyRun*> disturbed;
  for (const StudySettingFacts& setting : facts.settings) {
    for (const StudyRun& run : setting.runs)
      if (run.fair == false) disturbed.push_back(&run);
  }
  if (disturbed.empty()) return {};
  return " Disturbed in " + plural(static_cast<std::int64_t>(disturbed.size()), "run", "runs") +
         "; " + disturbed.front()->label + ": " + disturbed.front()->fair_text;
}

std::string run_pairs_text(std::int64_t pairs) {
  return plural(pairs, "pair", "pairs") + " of runs";
}

/// Says why pairs ended before they told a difference.
std::string saves_less_words(const StudyFacts& facts, const PairFacts& told) {
  return facts.settings[1].series + " saves less than " +
         decimal_text(100 * facts.study.head.least_gain, 0) + " % of the time (90 % certain, " +
         run_pairs_text(told.trained) + "), so no more pairs were trained.";
}

}  // namespace

PairFacts pair_facts(const StudyFacts& facts) {
  PairFacts told;
  auto pairs = pairs_of(facts, told.unequal);
  const runs::StudyHead& head = facts.study.head;
  const bool often = head.looks > 1;
  const auto all = static_cast<std::int64_t>(pairs.size());
  const PairClock* const clock = pair_clock(pairs);
  told.trained = all;
  told.pairs = often ? analysis::last_check(all) : all;
  std::vector<double> first;
  std::vector<double> second;
  for (const Pair& pair : pairs) {
    if (clock == nullptr) break;
    first.push_back(clock->seconds(*pair.first));
    second.push_back(clock->seconds(*pair.second));
  }
  if (clock != nullptr && all > 1) told.what = clock->what;
  if (clock != nullptr && told.pairs > 1) {
    const auto counted = static_cast<std::size_t>(told.pairs);
    told.longer = analysis::paired_difference(std::span(first).first(counted),
                                              std::span(second).first(counted), often);
    told.verdict = analysis::verdict_of(told.longer);
  } else {
    told.pairs = 0;
  }
  told.uncounted = progress_of(facts).complete() ? facts.study.head.repeats - all : 0;
  // Another pair would be invalid, too.
  const std::int64_t next = often && told.uncounted == 0 ? analysis::next_check(all) : 0;
  if (told.verdict != PairVerdict::kOpen || next == 0 || clock == nullptr) return told;
  told.saves_less = head.least_gain > 0 && all >= analysis::kFewestPairs &&
                    analysis::saves_less(first, second, head.least_gain);
  const double each_s = all > 0 ? pair_seconds(pairs) / static_cast<double>(all) : 0;
  // The first check has its pairs whatever they take.
  told.over_budget = head.budget_s > 0 && next > analysis::kChecks.front() &&
                     each_s * static_cast<double>(next) > head.budget_s;
  if (!told.over_budget && !told.saves_less) told.next_repeats = next;
  return told;
}

std::string pair_words(const StudyFacts& facts) {
  const PairFacts told = pair_facts(facts);
  const bool complete = facts.study.of_pairs() && progress_of(facts).complete();
  const std::string uncounted =
      told.uncounted > 0
          ? " " + plural(told.uncounted, "pair does", "pairs do") + " not count: " +
                (told.unequal.empty() ? "the loss of a run was NaN or Inf at its end."
                                      : told.unequal)
          : std::string();
  if (told.pairs < 2 && told.saves_less)
    return saves_less_words(facts, told) + disturbed_words(facts);
  if (told.pairs < 2)
    return complete ? "Which takes longer is not known: too few pairs of runs tell their times." +
                          uncounted
                    : std::string();
  const std::string first = facts.settings[0].series;
  const std::string second = facts.settings[1].series;
  const auto& [value, low, high] = told.longer;
  const std::string by = " (" + change_text(low) + " to " + change_text(high) + " at 95 %, " +
                         run_pairs_text(told.pairs) + ").";
  const std::string longer = told.what + " takes " + decimal_text(std::abs(100 * value), 1) +
                             " % " + (value > 0 ? "more" : "less") + " time with " + second +
                             " than with " + first;
  const bool more = told.next_repeats > 0 || !complete;
  std::string text;
  switch (told.verdict) {
    case PairVerdict::kLonger:
    case PairVerdict::kShorter:
      text = "A " + longer + ", more than chance explains" + by;
      break;
    case PairVerdict::kAlike:
      text = "No difference of 1 % or more: a " + told.what + " takes as long with " + second +
             " as with " + first + by;
      break;
    case PairVerdict::kOpen:
      text = std::string("No difference is certain") + (more ? " yet" : "") + ": a " + longer + by;
      if (told.saves_less) {
        text += " " + saves_less_words(facts, told);
        break;
      }
      if (told.over_budget)
        text += " More pairs would take more than the budget of " +
                rough_duration_text(facts.study.head.budget_s) + ".";
      if (!more) text += " Longer runs, or a machine with less beside them, tell smaller ones.";
      break;
  }
  if (told.what == "step")
    text += " Programs do not tell their samples: steps count as equal work.";
  if (told.what == "run") text += " Programs tell no steps: start-up counts with it.";
  return text + uncounted + disturbed_words(facts);
}

}  // namespace ringside::view
