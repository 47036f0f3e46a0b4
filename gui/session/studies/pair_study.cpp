#include "gui/session/studies/pair_study.h"

#include <utility>

#include "gui/analysis/scaling/pairs.h"
#include "gui/launch/studies/combinations.h"
#include "gui/place/run_place.h"
#include "gui/session/studies/next_trial.h"
#include "gui/session/studies/plan_request.h"
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
Result<std::optional<StudyPlanRequest>> next_plan_request(const StudyWork& work,
                                                          const view::StudyFacts& facts) {
  StudyPlanRequest plan_request;
  plan_request.adopt = false;
  if (facts.study.of_pairs()) {
    if (!view::progress_of(facts).complete()) return std::nullopt;
    plan_request.request.repeats = view::pair_facts(facts).next_repeats;
    if (plan_request.request.repeats == 0) return std::nullopt;
    work.say({printable_line(view::pair_words(facts))});
    return plan_request;
  }
  const auto trial = RINGSIDE_TRY(next_trial(facts, work.cancelled));
  if (!trial) return std::nullopt;
  auto combinations = RINGSIDE_TRY(launch::combinations_of(*trial, facts.study.ask.command, {}));
  plan_request.request.repeats = 0;
  plan_request.request.combinations = std::move(combinations);
  plan_request.adopt = work.adopt;
  work.say({"Trial " + std::to_string(facts.settings.size() + 1) + " of " +
            std::to_string(facts.study.ask.trials) + ": " +
            printable_line(shell_words(plan_request.request.combinations.front()))});
  return plan_request;
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
    auto plan_request = RINGSIDE_TRY(next_plan_request(work, facts));
    if (!plan_request) return {};
    plan_request->where = place::around_here(work.cancelled);
    auto plan = RINGSIDE_TRY(plan_more(work.runs_dir, facts.study, *plan_request, work.machine));
    if (plan.places.empty() && plan.study.settings.size() == facts.study.settings.size()) return {};
    const auto started = facts.study.of_pairs() ? carry_out_plan(work, std::move(plan))
                                                : start_and_stay(work, std::move(plan));
    if (!started) return pass(started);
    facts = reader.read(started->plan.study);
  }
  return {};
}

Result<view::StudyFacts> measure_pairs(const StudyWork& work, StudyPlanRequest plan_request) {
  plan_request.adopt = false;
  plan_request.looks = static_cast<std::int64_t>(analysis::kChecks.size());
  plan_request.request.repeats =
      plan_request.least_gain > 0 ? analysis::kFewestPairs : analysis::kChecks.front();
  auto plan = RINGSIDE_TRY(plan_study(work.runs_dir, plan_request, work.machine));
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
