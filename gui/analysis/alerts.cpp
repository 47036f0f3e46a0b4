#include "gui/analysis/alerts.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ringside::analysis {
namespace {

using messages::Severity;
using messages::State;
using model::RankModel;

bool run_ended(const model::RunModel& model) {
  return model.run_state() && messages::is_final(model.run_state()->state);
}

Alert alert(AlertKind kind, Severity severity, Rank rank = kNoRank) {
  Alert result;
  result.kind = kind;
  result.severity = severity;
  result.rank = rank;
  return result;
}

void add_states(const model::RunModel& model, std::vector<Alert>& found) {
  const auto fill = [](Alert result, const messages::RankState& state, std::int64_t at_ns) {
    result.exit_code = state.exit_code;
    result.signal = state.signal;
    result.step = state.last_step;
    result.text = state.text;
    result.at_ns = at_ns;
    return result;
  };
  bool rank_failed = false;
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    if (!rank.state) continue;
    const bool failed = rank.state->state == State::kFailed;
    rank_failed = rank_failed || failed;
    if (failed)
      found.push_back(fill(alert(AlertKind::kRankFailed, Severity::kError, number), *rank.state,
                           rank.state_ns));
    if (rank.state->state == State::kDidNotDie) {
      found.push_back(
          fill(alert(AlertKind::kDidNotDie, Severity::kError, number), *rank.state, rank.state_ns));
    }
  }
  // A rank's failure says more than that the run failed.
  if (model.run_state() && model.run_state()->state == State::kFailed && !rank_failed) {
    found.push_back(
        fill(alert(AlertKind::kRunFailed, Severity::kError), *model.run_state(), model.last_ns()));
  }
}

void add_losses(const model::RunModel& model, std::vector<Alert>& found) {
  for (const Rank number : model.ranks()) {
    const NonFinite bad = non_finite_losses(model, number);
    if (bad.count == 0) continue;
    Alert result = alert(AlertKind::kLossNotFinite, Severity::kError, number);
    result.step = bad.first;
    result.count = bad.count;
    result.at_ns = model.rank(number)->end_ns.at(static_cast<std::size_t>(bad.first));
    found.push_back(result);
  }
}

// The ranks of a step wait for each other, so all fall silent together. The one with the fewest
// steps is the cause; when all stand at the same step, each is named.
void add_silent(const model::RunModel& model, std::int64_t now_ns, const AlertLimits& limits,
                std::vector<Alert>& found) {
  if (!limits.live || run_ended(model)) return;
  Step fewest = std::numeric_limits<Step>::max();
  Step most = -1;
  for (const Rank rank : model.ranks()) {
    fewest = std::min(fewest, model.rank(rank)->newest_step);
    most = std::max(most, model.rank(rank)->newest_step);
  }
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    const double seconds = silent_seconds(rank, now_ns);
    if (seconds < limits.silent_s) continue;
    if (most > fewest && rank.newest_step != fewest) continue;
    Alert result = alert(most > fewest ? AlertKind::kRankHung : AlertKind::kRankSilent,
                         Severity::kError, number);
    result.seconds = seconds;
    result.step = rank.newest_step;
    result.at_ns = now_ns;
    if (rank.state) result.text = rank.state->last_collective;
    found.push_back(result);
  }
}

void add_straggler(const model::RunModel& model, std::vector<Alert>& found) {
  const auto late = straggler(model, arrival_clock(model, recent_steps(model)));
  if (!late) return;
  Alert result = alert(AlertKind::kStraggler, Severity::kWarning, late->rank);
  result.late = *late;
  result.step = model.newest_common_step();
  result.at_ns = model.last_ns();
  found.push_back(result);
}

void add_lost(const model::RunModel& model, std::vector<Alert>& found) {
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    if (rank.counts.lost > 0) {
      Alert result = alert(AlertKind::kRecordsLost, Severity::kWarning, number);
      result.count = rank.counts.lost;
      result.at_ns = rank.heard_ns;
      found.push_back(result);
    }
    if (rank.restarts > 0) {
      Alert result = alert(AlertKind::kRestarted, Severity::kInfo, number);
      result.count = static_cast<std::uint64_t>(rank.restarts);
      result.at_ns = rank.hello_ns;
      result.step = rank.hello ? rank.hello->first_step : -1;
      found.push_back(result);
    }
  }
  if (model.refused().total() > 0) {
    Alert result = alert(AlertKind::kRefusedRecords, Severity::kWarning);
    result.count = model.refused().total();
    result.at_ns = model.last_ns();
    found.push_back(result);
  }
}

/// The newest of each code and rank; plain information is not an alert.
void add_notices(const model::RunModel& model, std::vector<Alert>& found) {
  std::set<std::pair<std::string, Rank>> seen;
  for (auto entry = model.notices().rbegin(); entry != model.notices().rend(); ++entry) {
    if (entry->notice.severity == Severity::kInfo) continue;
    if (!seen.insert({entry->notice.code, entry->stamp.rank}).second) continue;
    Alert result = alert(AlertKind::kNotice, entry->notice.severity, entry->stamp.rank);
    result.text = entry->notice.text;
    result.at_ns = entry->stamp.mono_ns;
    found.push_back(result);
  }
}

}  // namespace

NonFinite non_finite_losses(const model::RunModel& model, Rank rank) {
  const RankModel* found = model.rank(rank);
  NonFinite result;
  if (found == nullptr) return result;
  const model::Series& loss = found->series(model::Metric::kLoss);
  // The pyramid answers at once for the usual run; only a bad one is searched. NaN in every step of
  // a foreign program is a loss that it never says, not a broken one.
  const model::Extremes all = loss.extremes(0, loss.size());
  const bool never_said =
      !model.spec().program.argv.empty() && !all.has_finite() && all.flags == model::kHasNan;
  if (all.flags == 0 || never_said) return result;
  for (std::size_t step = 0; step < loss.size(); ++step) {
    if (!loss.has(step) || std::isfinite(loss.at(step))) continue;
    if (result.first < 0) result.first = static_cast<Step>(step);
    ++result.count;
  }
  return result;
}

double silent_seconds(const RankModel& rank, std::int64_t now_ns) {
  if (!rank.state || rank.state->state != State::kTraining || rank.newest_step < 0) return 0;
  const std::int64_t newest =
      std::max(rank.end_ns.at(static_cast<std::size_t>(rank.newest_step)), rank.state_ns);
  return now_ns > newest ? static_cast<double>(now_ns - newest) / 1e9 : 0;
}

std::vector<Alert> alerts(const model::RunModel& model, std::int64_t now_ns,
                          const AlertLimits& limits) {
  std::vector<Alert> found;
  add_states(model, found);
  add_losses(model, found);
  add_silent(model, now_ns, limits, found);
  add_straggler(model, found);
  add_lost(model, found);
  add_notices(model, found);
  std::stable_sort(found.begin(), found.end(), [](const Alert& a, const Alert& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    return a.kind != b.kind ? a.kind < b.kind : a.at_ns > b.at_ns;
  });
  return found;
}

}  // namespace ringside::analysis
