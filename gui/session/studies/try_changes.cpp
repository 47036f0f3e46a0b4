#include "gui/session/studies/try_changes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/analysis/scaling/pace.h"
#include "gui/analysis/scaling/pairs.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/run_figures.h"
#include "gui/session/studies/plan_request.h"
#include "gui/view/number_format.h"
#include "protocol/base/clock.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;
using messages::RunSpec;

constexpr std::int64_t kFirstSteps = 80;      ///< steps of the run that measures step time
constexpr std::int64_t kLeastPairSteps = 40;  ///< steps of a paired run, 20 after warm-up
constexpr double kStepsS = 4;                 ///< more steps if they take less time than this
constexpr const char* kWeights = "weights_crc32";
constexpr const char* kRecipeFailed = "the recipe without the change failed";

std::int64_t steps_of_run(double step_s) {
  return std::max(kLeastPairSteps, static_cast<std::int64_t>(kStepsS / step_s));
}

double seconds_since(std::int64_t ns) { return static_cast<double>(mono_now_ns() - ns) * 1e-9; }

/// Trains the unchanged recipe for some steps.
Result<std::string> train_once(const StudyWork& work, const StudyPlanRequest& recipe) {
  StudyPlanRequest request = recipe;
  request.spec = launch::cut_short(request.spec, kFirstSteps);
  request.request = {};
  request.request.one_setting = true;
  request.earlier.emplace();
  auto plan = RINGSIDE_TRY(plan_study(work.runs_dir, request, work.machine));
  const auto started = RINGSIDE_TRY(carry_out_plan(work, std::move(plan)));
  return started.runs.folders.back().id();
}

/// Returns a value that identifies what a run learned: a checksum of the weights, or the last loss;
/// NaN: unknown.
double numbers_of(const fs::path& runs_dir, const std::string& id) {
  const auto found = runs::find_run(runs_dir, id);
  const auto spec = found ? runs::read_spec(found->folder) : Result<RunSpec>(pass(found));
  if (!spec) return runs::kUnknown;
  const runs::ReadRun run = runs::read_run(found->folder, *spec);
  if (const auto* const weights = run.model->scalars().find(kWeights))
    return weights->latest().value;
  return runs::figures_of(*run.model, run.identity, nullptr).final_loss;
}

std::vector<double> numbers_of(const fs::path& runs_dir, const view::StudySettingFacts& setting) {
  std::vector<double> numbers;
  for (const view::StudyRun& run : setting.runs)
    numbers.push_back(run.finished() ? numbers_of(runs_dir, run.id) : runs::kUnknown);
  return numbers;
}

/// Whether both settings learned the same; nothing if that is unknown, or if repeats of a script
/// differ with one setting.
std::optional<bool> same_numbers(const fs::path& runs_dir, const view::StudyFacts& facts,
                                 bool is_script) {
  const auto first = numbers_of(runs_dir, facts.settings[0]);
  const auto second = numbers_of(runs_dir, facts.settings[1]);
  const auto unknown = [](double number) { return std::isnan(number); };
  if (first.empty() || first.size() != second.size() || std::ranges::any_of(first, unknown) ||
      std::ranges::any_of(second, unknown))
    return std::nullopt;
  if (first == second) return true;
  if (is_script && std::ranges::count(first, first.front()) != std::ssize(first))
    return std::nullopt;
  return false;
}

/// Whether a person ended the run, or the machine did.
bool was_ended(const view::StudyRun& run) {
  return run.word == "stopped" || run.word == "interrupted";
}

/// Returns the first run of a setting that did not finish, and why; empty: all did.
std::string unfinished_run(const view::StudySettingFacts& setting, bool of_itself) {
  for (const view::StudyRun& run : setting.runs) {
    if (!run.live && !run.finished() && !(of_itself && was_ended(run)))
      return run.label + " " + run.word + (run.detail.empty() ? "" : ": " + run.detail);
  }
  return {};
}

/// Returns why the pairs give no result; empty: they do.
std::string what_failed(const view::StudyFacts& facts) {
  for (const view::StudySettingFacts& setting : facts.settings)
    if (std::string failed = unfinished_run(setting, false); !failed.empty()) return failed;
  return {};
}

/// The state of the tries while they run.
class TryWork {
 public:
  TryWork(const StudyWork& work, const TryRequest& request,
          const std::function<void(const view::Tries&)>& told)
      : work_(work), wish_(request), told_(told), best_(request.recipe.spec) {
    tries_.budget_s = request.budget_s;
  }

  Result<RunSpec> run() {
    RINGSIDE_TRY(look());
    for (std::size_t i = 0;
         i < tries_.changes.size() && !work_.cancelled() && tries_.failed.empty(); ++i)
      try_one(i);
    tries_.doing.clear();
    tries_.stopped = work_.cancelled();
    for (view::TriedChange& one : tries_.changes)
      if (one.study.empty() && one.why_not.empty())
        one.why_not = tries_.failed.empty() ? "it was stopped before" : kRecipeFailed;
    told_(tries_);
    return best_;
  }

 private:
  Result<void> look() {
    tries_.doing = "the recipe as it is";
    told_(tries_);
    const auto id = wish_.as_it_is.empty() ? train_once(work_, wish_.recipe)
                                           : Result<std::string>(wish_.as_it_is);
    if (!id) return pass(id);
    as_it_is_ = RINGSIDE_TRY(look_at_run(work_.runs_dir, *id));
    tries_.as_it_is = as_it_is_.label;
    tries_.step_ns = as_it_is_.step_s * 1e9;
    const RunSpec& spec = wish_.recipe.spec;
    const auto all = launch::candidates(spec, work_.machine, wish_.other_numbers, as_it_is_.shown);
    tries_.outside = launch::only_outside(spec, as_it_is_.shown);
    for (const launch::Candidate& one : all) {
      tries_.changes.push_back({one});
      tries_.changes.back().why_not = view::idle_words(one);
    }
    if (as_it_is_.step_s > 0 && tries_.outside.empty()) steps_ = steps_of_run(as_it_is_.step_s);
    step_s_ = as_it_is_.step_s;
    run_s_ = expected_run_s();
    told_(tries_);
    return {};
  }

  /// Returns the estimated seconds of one run of a pair before any was trained.
  double expected_run_s() const {
    if (steps_ == 0) return as_it_is_.run_s;
    const bool whole = !wish_.as_it_is.empty() || as_it_is_.steps < kFirstSteps;
    const double cut_s = as_it_is_.start_up_s + static_cast<double>(steps_) * as_it_is_.step_s;
    return whole ? std::min(cut_s, as_it_is_.run_s) : cut_s;
  }

  /// Gives runs the steps that they need after a change that makes each step quicker.
  void lengthen_runs(double longer) {
    step_s_ *= 1 + longer;
    if (steps_ == 0) return;
    const std::int64_t more = steps_of_run(step_s_) - steps_;
    steps_ += more;
    run_s_ += static_cast<double>(more) * step_s_;
  }

  /// Returns the seconds that a run of a pair spends in steps.
  double steps_s() const {
    return as_it_is_.step_s > 0 ? std::max(0.0, run_s_ - as_it_is_.start_up_s) : 0;
  }

  RunSpec short_form(const RunSpec& spec) const {
    RunSpec cut = steps_ > 0 ? launch::cut_short(spec, steps_) : spec;
    cut.baseline = {};
    return cut;
  }

  /// Returns why there is no time left for a change, which may save all that it can; empty: it is
  /// tried.
  std::string over_budget(const launch::Candidate& candidate, double left_s) const {
    const double saved = std::isnan(candidate.most) ? 0 : candidate.most * steps_s();
    const double least_s = static_cast<double>(analysis::kChecks.front()) * (2 * run_s_ - saved);
    if (least_s <= left_s) return {};
    return "its pairs take " + view::rough_duration_text(least_s) + ", the budget has " +
           (left_s < 1 ? "nothing" : view::rough_duration_text(left_s)) + " left";
  }

  void try_one(std::size_t place) {
    view::TriedChange& one = tries_.changes[place];
    if (!one.why_not.empty()) return;
    const double left_s = wish_.budget_s - seconds_since(begun_ns_);
    one.why_not = launch::what_it_lacks(one.candidate, best_, as_it_is_.shown);
    if (one.why_not.empty()) one.why_not = over_budget(one.candidate, left_s);
    if (!one.why_not.empty()) return told_(tries_);
    tries_.doing = one.candidate.name() + ", " + std::to_string(place + 1) + " of " +
                   std::to_string(tries_.changes.size()) + ": " + one.candidate.why;
    const auto to_come = std::ranges::count_if(tries_.changes, [](const view::TriedChange& other) {
      return other.study.empty() && other.why_not.empty();
    });
    one.going = true;
    told_(tries_);
    const auto measured = measure(one.candidate, left_s / static_cast<double>(to_come), one);
    one.going = false;
    if (!measured) one.why_not = measured.error().message;
    if (one.kept()) {
      best_ = *launch::with_candidate(best_, one.candidate);
      lengthen_runs(one.facts.longer.value);
    }
    told_(tries_);
  }

  Result<void> measure(const launch::Candidate& candidate, double budget_s,
                       view::TriedChange& one) {
    StudyPlanRequest request = wish_.recipe;
    request.request = {};
    request.spec = short_form(best_);
    request.budget_s = budget_s;
    request.least_gain = view::kWorthKeeping;
    auto changed = RINGSIDE_TRY(launch::with_candidate(request.spec, candidate));
    RINGSIDE_TRY(make_two(request, std::move(changed), {"change=none"}, {candidate.name()}));
    const std::int64_t begun_ns = mono_now_ns();
    const auto facts = RINGSIDE_TRY(measure_pairs(work_, std::move(request)));
    run_s_ = seconds_since(begun_ns) / static_cast<double>(2 * facts.study.head.repeats);
    one.study = facts.study.head.study;
    one.facts = view::pair_facts(facts);
    if (facts.settings.size() < 2) return failure("study " + one.study + " lost a setting");
    if (!candidate.alters_numbers)
      one.same_numbers = same_numbers(work_.runs_dir, facts, !best_.program.argv.empty());
    if (one.facts.pairs < 2) one.why_not = what_failed(facts);
    if (one.facts.pairs < 2 && one.why_not.empty() && !one.facts.unequal.empty())
      one.why_not = "unequal work: " + one.facts.unequal;
    const std::string failed = unfinished_run(facts.settings[0], true);
    if (!failed.empty() && !work_.cancelled())
      tries_.failed = std::string(kRecipeFailed) + ", so nothing can be held against it: " + failed;
    return {};
  }

  const StudyWork& work_;
  const TryRequest& wish_;
  const std::function<void(const view::Tries&)>& told_;
  std::int64_t begun_ns_ = mono_now_ns();
  RunSpec best_;
  AsItIs as_it_is_;
  double step_s_ = 0;       ///< of a step of `best_`, as far as the pairs tell
  std::int64_t steps_ = 0;  ///< steps of a paired run; 0: all of the recipe
  double run_s_ = 0;        ///< seconds of a paired run, start-up included
  view::Tries tries_;
};

}  // namespace

Result<AsItIs> look_at_run(const fs::path& runs_dir, const std::string& id) {
  const auto found = RINGSIDE_TRY(runs::find_run(runs_dir, id));
  const runs::RunSummary summary = runs::read_summary(found);
  const std::string label = runs::label_of(summary);
  if (summary.state.word != "finished" && summary.state.word != "stopped")
    return bad_request("run " + label + " is " + summary.state.word +
                       ": changes are held against one that has ended well");
  const runs::ReadRun read = runs::read_run(found.folder, summary.spec);
  AsItIs known{label, view::shown_by(*read.model)};
  if (std::isfinite(summary.figures.seconds)) known.run_s = summary.figures.seconds;
  const auto pace = analysis::pace_of(*read.model);
  if (!pace) return known;
  known.step_s = pace->step_ns * 1e-9;
  known.steps = summary.figures.steps;
  known.start_up_s = std::max(0.0, known.run_s - static_cast<double>(known.steps) * known.step_s);
  return known;
}

Result<RunSpec> try_changes(const StudyWork& work, const TryRequest& request,
                            const std::function<void(const view::Tries&)>& told) {
  return TryWork(work, request, told).run();
}

}  // namespace ringside::session
