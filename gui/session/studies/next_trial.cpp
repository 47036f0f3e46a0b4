#include "gui/session/studies/next_trial.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gui/launch/program/program_files.h"
#include "gui/view/scaling/study_metrics.h"
#include "protocol/base/text.h"

namespace ringside::session {
namespace {

/// Returns the chosen metric, or the first usual one that a trial has reported; null: none.
const view::StudyMetric* metric_of_trials(const view::StudyFacts& facts) {
  if (const auto* const chosen = view::chosen_metric(facts)) return chosen;
  for (const view::StudyMetric& metric : view::study_metrics())
    if (metric.usual && !view::ranked_by(facts, metric).empty()) return &metric;
  return nullptr;
}

bool was_stopped(const view::StudyFacts& facts) {
  return std::ranges::any_of(facts.settings, [](const view::StudySettingFacts& setting) {
    return std::ranges::any_of(setting.runs,
                               [](const view::StudyRun& run) { return run.word == "stopped"; });
  });
}

/// Whether a finished and sound trial has this metric; without a metric: whether there is one.
bool has_trial(const view::StudyFacts& facts, const view::StudyMetric* metric) {
  if (metric != nullptr) return !view::ranked_by(facts, *metric).empty();
  for (std::size_t i = 0; i < facts.settings.size() && i < facts.measured.size(); ++i) {
    const auto& runs = facts.settings[i].runs;
    const bool sound = std::ranges::any_of(runs, &view::StudyRun::finished) &&
                       std::ranges::none_of(runs, &view::StudyRun::loss_broke);
    if (sound && !facts.measured[i].runs.empty()) return true;
  }
  return false;
}

/// Fails if trials have finished and none has the metric of --best, since a library would go on
/// without any result.
Result<void> check_metric(const view::StudyFacts& facts) {
  const view::StudyMetric* const wanted = view::find_metric(facts.best_by);
  if (wanted == nullptr || has_trial(facts, wanted) || !has_trial(facts, nullptr)) return {};
  std::string known;
  for (const view::StudyMetric& metric : view::study_metrics())
    if (has_trial(facts, &metric)) add_listed(known, std::string(metric.key));
  return bad_request("--best " + facts.best_by + ": the finished trials have no " + wanted->words +
                     "; they have " +
                     (known.empty() ? "nothing to rank by" : known + ", take one of these"));
}

}  // namespace

launch::LibraryQuestion question_of(const view::StudyFacts& facts) {
  const runs::StudyAsk& ask = facts.study.ask;
  launch::LibraryQuestion question;
  question.library = ask.library;
  question.seed = ask.seed;
  const bool own_python = !ask.command.empty() && launch::is_python_program(ask.command.front());
  question.python = own_python ? ask.command.front() : "python3";
  const view::StudyMetric* const metric = metric_of_trials(facts);
  if (metric != nullptr) question.more_is_better = metric->more_is_better();
  std::vector<double> reached(facts.study.settings.size(), analysis::RunMeasure::kNone);
  if (metric != nullptr) {
    for (const view::RankedSetting& one : view::ranked_by(facts, *metric))
      reached[one.place] = one.spread.mean;
  }
  for (std::size_t i = 0; i < facts.study.settings.size(); ++i)
    question.trials.push_back({facts.study.settings[i].values(), reached[i]});
  return question;
}

Result<std::optional<std::vector<launch::Swept>>> next_trial(const view::StudyFacts& facts,
                                                             const launch::Cancelled& cancelled) {
  std::optional<std::vector<launch::Swept>> next;
  const runs::StudyAsk& ask = facts.study.ask;
  const auto trained = static_cast<std::int64_t>(facts.study.settings.size());
  if (ask.library.empty() || trained >= ask.trials || was_stopped(facts)) return next;
  RINGSIDE_TRY(check_metric(facts));
  const auto space = RINGSIDE_TRY(launch::parse_space(ask.vary));
  auto values = RINGSIDE_TRY(launch::ask_library(space, question_of(facts), cancelled));
  next = std::move(values);
  return next;
}

}  // namespace ringside::session
