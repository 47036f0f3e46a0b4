#include "gui/session/studies/pair_study.h"

#include <utility>

#include "gui/analysis/scaling/pairs.h"
#include "gui/launch/combinations/combinations.h"
#include "gui/place/run_place.h"
#include "gui/session/studies/next_trial.h"
#include "gui/session/studies/study_wish.h"
#include "gui/view/scaling/combinations.h"
#include "protocol/base/clock.h"
#include "protocol/base/printable.h"
#include "protocol/base/shell_word.h"
#include "protocol/wire/agent_endpoint.h"

namespace ringside::session {
namespace {

constexpr std::int64_t kLookForEndNs = 100'000'000;

Result<StartedStudy> start_and_stay(const StudyWork& work, StudyPlan plan) {
  auto started = RINGSIDE_TRY(start_study(work.runs_dir, std::move(plan), work.cancelled));
  work.stay(started);
  return started;
}

/// Returns what the study trains next, given its results. Nothing: it is finished.
Result<std::optional<StudyWish>> next_wish(const StudyWork& work, const view::StudyFacts& facts) {
  StudyWish wish;
  wish.adopt = false;
  if (facts.study.of_pairs()) {
    if (!view::progress_of(facts).complete()) return std::nullopt;
    wish.request.repeats = view::pair_facts(facts).next_repeats;
    if (wish.request.repeats == 0) return std::nullopt;
    work.say({printable_line(view::pair_words(facts))});
    return wish;
  }
  const auto trial = RINGSIDE_TRY(next_trial(facts, work.cancelled));
  if (!trial) return std::nullopt;
  auto combinations = RINGSIDE_TRY(launch::combinations_of(*trial, facts.study.ask.command, {}));
  wish.request.repeats = 0;
  wish.request.combinations = std::move(combinations);
  wish.adopt = work.adopt;
  work.say({"Trial " + std::to_string(facts.settings.size() + 1) + " of " +
            std::to_string(facts.study.ask.trials) + ": " +
            printable_line(shell_words(wish.request.combinations.front()))});
  return wish;
}

}  // namespace

Result<StartedStudy> carry_out_plan(const StudyWork& work, StudyPlan plan) {
  if (!plan.study.settings.empty()) work.say(plan_lines(plan, work.runs_dir));
  auto warnings = RINGSIDE_TRY(check_plan(plan, work.machine, work.runs_dir));
  for (std::string& warning : warnings) warning = "Warning: " + warning;
  work.say(warnings);
  return start_and_stay(work, std::move(plan));
}

Result<void> train_more(const StudyWork& work, StudyReader& reader, view::StudyFacts& facts) {
  while (!work.cancelled()) {
    auto wish = RINGSIDE_TRY(next_wish(work, facts));
    if (!wish) return {};
    wish->where = place::around_here(work.cancelled);
    auto plan = RINGSIDE_TRY(plan_more(work.runs_dir, facts.study, *wish, work.machine));
    if (plan.places.empty() && plan.study.settings.size() == facts.study.settings.size()) return {};
    const auto started = facts.study.of_pairs() ? carry_out_plan(work, std::move(plan))
                                                : start_and_stay(work, std::move(plan));
    if (!started) return pass(started);
    facts = reader.read(started->plan.study);
  }
  return {};
}

Result<view::StudyFacts> measure_pairs(const StudyWork& work, StudyWish wish) {
  wish.adopt = false;
  wish.looks = static_cast<std::int64_t>(analysis::kLooks.size());
  wish.request.repeats = wish.least_gain > 0 ? analysis::kFewestPairs : analysis::kLooks.front();
  auto plan = RINGSIDE_TRY(plan_study(work.runs_dir, wish, work.machine));
  const auto started = RINGSIDE_TRY(carry_out_plan(work, std::move(plan)));
  StudyReader reader(work.runs_dir);
  view::StudyFacts facts = reader.read(started.plan.study);
  RINGSIDE_TRY(train_more(work, reader, facts));
  return facts;
}

std::int64_t pairs_to_come(const std::filesystem::path& runs_dir, const runs::Study& study) {
  if (!study.of_pairs()) return 0;
  const view::StudyFacts facts = StudyReader(runs_dir).read(study);
  return view::progress_of(facts).complete() ? view::pair_facts(facts).next_repeats : 0;
}

Result<std::string> decide_pairs(const std::filesystem::path& runs_dir, const StartedStudy& begun,
                                 const launch::Cancelled& leaving) {
  StudyWork work{runs_dir};
  work.machine = RINGSIDE_TRY(launch::read_machine(leaving));
  work.stay = [&leaving](const StartedStudy& started) {
    wait_for_runs(started.runs, leaving, leaving);
  };
  work.cancelled = leaving;
  work.stay(begun);
  StudyReader reader(runs_dir);
  view::StudyFacts facts = reader.read(begun.plan.study);
  RINGSIDE_TRY(train_more(work, reader, facts));
  return view::pair_words(facts);
}

void wait_for_runs(const launch::Started& runs, const launch::Cancelled& cancelled,
                   const launch::Cancelled& leaving) {
  const auto agent = wire::process_start_ticks(runs.agent_pid);
  bool asked = false;
  while (agent != 0 && wire::process_start_ticks(runs.agent_pid) == agent && !leaving()) {
    if (cancelled() && !asked) {
      asked = true;
      // The last run is stopped first, so that none starts when the one before it ends.
      for (auto run = runs.folders.rbegin(); run != runs.folders.rend(); ++run)
        (void)place::ask_stop(*run, wire::StopMode::kNow);
    }
    pause_ns(kLookForEndNs);
  }
}

}  // namespace ringside::session
