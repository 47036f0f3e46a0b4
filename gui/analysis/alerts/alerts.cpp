#include "gui/analysis/alerts/alerts.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "gui/analysis/alerts/blame.h"
#include "gui/analysis/progress.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_end.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"
#include "protocol/messages/notice_codes.h"
#include "protocol/messages/silence.h"

namespace ringside::analysis {
namespace {

using messages::Severity;
using messages::State;
using model::RankModel;

// Time after a rank's report within which the other ranks' reports of that step have arrived, too.
constexpr std::int64_t kHearTimeoutNs = 2'000'000'000;

/// True if each row is at its own index; a missing row would shift all later ones.
constexpr bool in_order() {
  for (std::size_t i = 0; i < kAlertKindInfos.size(); ++i)
    if (static_cast<std::size_t>(kAlertKindInfos[i].kind) != i) return false;
  for (std::size_t i = 0; i < kAlertRuleInfos.size(); ++i)
    if (static_cast<std::size_t>(kAlertRuleInfos[i].rule) != i) return false;
  return true;
}
static_assert(in_order(), "a row for each kind and each rule");
static_assert(messages::kLeastSilenceNs == 10'000'000'000 && messages::kSilentSteps == 5,
              "the hint of rank_silent says so");

Alert alert(AlertKind kind, Rank rank = kNoRank) {
  Alert result;
  result.kind = kind;
  result.severity = info_of(kind).severity;
  result.rank = rank;
  return result;
}

void add_states(const model::RunModel& model, std::vector<Alert>& found) {
  const auto fill = [](Alert result, const messages::RankState& state, std::int64_t at_ns) {
    // Several records report one failure: it is another one only in another attempt.
    result.attempt = state.attempt;
    result.exit_code = state.exit_code;
    result.signal = state.signal;
    result.step = state.last_step;
    result.text = state.text;
    result.at_ns = at_ns;
    return result;
  };
  const Failures failed = failures(model);
  // The failure of the rank that is the cause is more specific than that of the run.
  if (failed.run_says_it) {
    const auto states = model.run_states();
    const bool last = !states.empty() && states.back().state.state == State::kFailed;
    found.push_back(fill(alert(AlertKind::kRunFailed), *model.run_state(),
                         last ? states.back().at_ns : model.last_ns()));
  }
  for (const Rank number : failed.ranks) {
    const RankModel& rank = *model.rank(number);
    found.push_back(fill(alert(AlertKind::kRankFailed, number), *rank.state, rank.state_ns));
  }
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    if (rank.state && !rank.left && rank.state->state == State::kDidNotDie)
      found.push_back(fill(alert(AlertKind::kDidNotDie, number), *rank.state, rank.state_ns));
  }
}

/// Index of the attempt that trained a step.
std::int64_t attempt_of(const model::RunModel& model, Step step) {
  const auto attempts = model.attempts();
  std::size_t place = attempts.empty() ? 0 : attempts.size() - 1;
  while (place > 0 && attempts[place].first_step > step) --place;
  return static_cast<std::int64_t>(place);
}

/// Adds the origin of a loss that is broken, or will be in the next step, if a rank's own gradient
/// was broken.
void name_broken_gradient(const BrokenGradient& gradient, const std::optional<BrokenLoss>& loss,
                          Alert& result) {
  if (gradient.ranks.size() == 1) result.rank = gradient.ranks.front();
  result.count = loss ? loss->steps : 0;
  result.gradient = gradient;
  if (loss) result.broken = *loss;
}

void name_broken_loss(BrokenLoss&& broken, Alert& result) {
  if (broken.origin_known() || broken.no_origin == NoOrigin::kOnlyRank)
    result.rank = broken.ranks.front();
  result.count = broken.steps;
  result.broken = std::move(broken);
}

void add_mismatch(const model::RunModel& model, std::vector<Alert>& found) {
  auto different = mismatch(model);
  if (!different) return;
  const auto& fewest = different->entered.front().ranks;
  const bool one = different->entered.size() == 2 && fewest.size() == 1 && different->majority;
  Alert result = alert(AlertKind::kMismatch, one ? fewest.front() : kNoRank);
  result.step = different->step;
  result.attempt = attempt_of(model, different->step);
  result.at_ns = different->at_ns;
  result.mismatch = std::move(*different);
  found.push_back(std::move(result));
}

void add_broken_loss(const model::RunModel& model, std::int64_t now_ns, bool goes_on,
                     std::vector<Alert>& found) {
  const auto gradient = broken_gradient(model);
  auto broken = broken_loss(model);
  if (!broken && !gradient) return;
  const Rank first = gradient ? gradient->ranks.front() : broken->ranks.front();
  const Step step = gradient ? gradient->step : broken->step;
  const std::int64_t at_ns = model.rank(first)->end_ns.at(static_cast<std::size_t>(step));
  // Reports of the other ranks for that step will arrive soon, and then the origin is known.
  const bool unheard = gradient ? !gradient->all_heard : broken->no_origin == NoOrigin::kNotHeard;
  if (goes_on && unheard && now_ns - at_ns < kHearTimeoutNs) return;
  Alert result = alert(AlertKind::kLossNotFinite);
  result.step = step;
  result.attempt = attempt_of(model, step);
  result.at_ns = at_ns;
  if (gradient) {
    name_broken_gradient(*gradient, broken, result);
  } else {
    name_broken_loss(std::move(*broken), result);
  }
  found.push_back(std::move(result));
}

/// Adds alerts about changes, which are reported only while the run is active.
void add_changes(const model::RunModel& model, std::vector<Alert>& found) {
  const auto add = [&](AlertKind kind, const Change& change) {
    Alert result = alert(kind);
    result.change = change;
    result.step = model.newest_common_step();
    result.at_ns = model.last_ns();
    found.push_back(result);
  };
  if (const auto change = diverged(model)) {
    add(AlertKind::kDiverged, *change);
  } else if (const auto spike = loss_spike(model)) {
    add(AlertKind::kLossSpike, *spike);
    found.back().step = spike->before_step;
  }
  if (const auto change = slow_steps(model)) add(AlertKind::kSlowSteps, *change);
}

void add_machines(const model::RunModel& model, std::vector<Alert>& found) {
  for (const LowDisk& disk : low_disks(model)) {
    const bool nearly_full = disk.free_bytes < disk.wanted_bytes / 8;
    Alert result = alert(AlertKind::kDiskLow);
    if (nearly_full) result.severity = Severity::kError;
    result.node = disk.node;
    result.disk = disk;
    result.at_ns = model.hosts().at(disk.node).at_ns;
    found.push_back(result);
  }
  if (const auto creep = memory_creep(model)) {
    Alert result = alert(AlertKind::kMemoryGrows, creep->rank);
    result.step = model.rank(creep->rank)->newest_step;
    result.creep = *creep;
    result.at_ns = model.last_ns();
    found.push_back(result);
  }
  for (const SlowedDevice& slowed : slowed_devices(model)) {
    const auto& device = model.devices()[slowed.index];
    Alert result = alert(AlertKind::kSlowedDevice, slowed.rank);
    result.node = device.node;
    result.code = device.latest.device_uuid;
    result.slowed_by = device.latest.throttle_reasons & model::kSlowingReasons;
    result.seconds = slowed.seconds;
    result.at_ns = device.at_ns;
    found.push_back(result);
  }
}

// The collective that the rank entered last, unless a newer step shows that it has left it.
std::string entered_last(const RankModel& rank) {
  const auto newest = static_cast<std::size_t>(rank.newest_step);
  return rank.state && rank.collective_ns >= rank.end_ns.at(newest) ? rank.state->last_collective
                                                                    : std::string();
}

/// Silent ranks that are at the same step.
struct Waiting {
  std::vector<Alert> alerts;
  /// Number of collectives that each has entered.
  std::vector<std::optional<std::int64_t>> entered;
};

// If ranks hang in the same step, those that have entered the fewest collectives hold up the rest.
void name_hung(Waiting& waiting) {
  const auto furthest = std::max_element(waiting.entered.begin(), waiting.entered.end());
  if (furthest == waiting.entered.end() || !*furthest) return;
  const auto place = static_cast<std::size_t>(furthest - waiting.entered.begin());
  const std::string awaited = waiting.alerts[place].text;
  std::vector<Alert> behind;
  for (std::size_t i = 0; i < waiting.alerts.size(); ++i) {
    if (!waiting.entered[i] || *waiting.entered[i] >= **furthest) continue;
    behind.push_back(std::move(waiting.alerts[i]));
    behind.back().kind = AlertKind::kRankHung;
    behind.back().awaited = awaited;
  }
  if (!behind.empty()) waiting.alerts = std::move(behind);
}

/// Adds each node whose log is later than the limit; the present state of its ranks is unknown.
std::set<Node> add_late_logs(const model::RunModel& model, double limit_s,
                             std::vector<Alert>& found) {
  std::set<Node> late;
  for (const auto& [node, agent] : model.agents()) {
    Alert result = alert(AlertKind::kLogLate);
    result.node = node;
    result.seconds = log_late_seconds(model, node);
    result.at_ns = model.last_ns();
    if (result.seconds <= limit_s) continue;
    late.insert(node);
    found.push_back(std::move(result));
  }
  return late;
}

/// Whether an agent has named ranks whose processes are stopped, and has not seen them resume.
bool one_is_stopped(const model::RunModel& model) {
  std::set<Node> seen;
  for (auto entry = model.notices().rbegin(); entry != model.notices().rend(); ++entry) {
    const bool stopped = entry->notice.code == messages::kRankStopped;
    if (!stopped && entry->notice.code != messages::kStallOver) continue;
    if (seen.insert(entry->stamp.node).second && stopped) return true;
  }
  return false;
}

/// Adds ranks that have not entered a collective in which members of a group wait; returns the
/// ranks that this explains.
std::set<Rank> add_hangs(const model::RunModel& model, std::int64_t now_ns,
                         const std::set<Node>& unknown, std::vector<Alert>& found) {
  std::set<Rank> silent;
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    if (!unknown.contains(rank.node) && is_silent(model, rank, silent_seconds(model, rank, now_ns)))
      silent.insert(number);
  }
  Hangs hung = hangs(model, now_ns, silent, unknown);
  for (Hang& hang : hung.hangs) {
    Alert result = alert(AlertKind::kRankHung, hang.rank);
    result.seconds = hang.seconds;
    result.step = model.rank(hang.rank)->newest_step;
    result.at_ns = now_ns;
    result.hang = std::move(hang);
    found.push_back(std::move(result));
  }
  return std::move(hung.explained);
}

// The ranks of a step wait for each other, so all fall silent together. The one with the fewest
// steps, or the fewest collectives, is the cause, unless its group tells more; if no rank is
// behind, each is named, unless the agent has named the cause.
void add_silent(const model::RunModel& model, std::int64_t now_ns, const std::set<Node>& unknown,
                std::vector<Alert>& found) {
  Step fewest = std::numeric_limits<Step>::max();
  Step most = -1;
  std::int64_t got_there_ns = 0;
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    if (rank.left || unknown.contains(rank.node)) continue;
    fewest = std::min(fewest, rank.newest_step);
    if (rank.newest_step < most || rank.newest_step < 0) continue;
    const std::int64_t end_ns = rank.end_ns.at(static_cast<std::size_t>(rank.newest_step));
    got_there_ns = rank.newest_step > most ? end_ns : std::max(got_there_ns, end_ns);
    most = rank.newest_step;
  }
  // Ranks of a group end a step together. Just after a long step ended, reports of the other ranks
  // are still on their way, so none of them is late.
  if (most == fewest + 1 && now_ns - got_there_ns < kHearTimeoutNs) return;
  const std::set<Rank> explained = add_hangs(model, now_ns, unknown, found);
  Waiting waiting;
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    if (unknown.contains(rank.node) || explained.contains(number)) continue;
    const double seconds = silent_seconds(model, rank, now_ns);
    if (!is_silent(model, rank, seconds)) continue;
    if (most > fewest && rank.newest_step != fewest) continue;
    Alert result = alert(most > fewest ? AlertKind::kRankHung : AlertKind::kRankSilent, number);
    result.seconds = seconds;
    result.step = rank.newest_step;
    result.at_ns = now_ns;
    result.text = entered_last(rank);
    waiting.entered.push_back(messages::collective_number(result.text));
    waiting.alerts.push_back(std::move(result));
  }
  if (most == fewest) name_hung(waiting);
  if (one_is_stopped(model))
    std::erase_if(waiting.alerts, [](const Alert& a) { return a.kind == AlertKind::kRankSilent; });
  std::move(waiting.alerts.begin(), waiting.alerts.end(), std::back_inserter(found));
}

void add_straggler(const model::RunModel& model, std::vector<Alert>& found) {
  const auto& late = recent_straggler(model);
  if (!late) return;
  Alert result = alert(AlertKind::kStraggler, late->rank);
  result.late = *late;
  result.step = model.newest_common_step();
  result.at_ns = model.last_ns();
  found.push_back(result);
}

/// Adds restarts. All ranks restart together after a resume and when the agent restarts them;
/// within an attempt a single program may restart by itself.
void add_restarts(const model::RunModel& model, std::vector<Alert>& found) {
  const auto attempts = model.attempts();
  if (attempts.empty()) return;
  Alert run = alert(AlertKind::kRestarted);
  run.count = attempts.size() - 1;
  run.at_ns = attempts.back().at_ns;
  run.step = attempts.back().first_step;
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    if (rank.left || rank.said_again == 0) continue;
    Alert result = alert(AlertKind::kRestarted, number);
    result.count = static_cast<std::uint64_t>(rank.said_again);
    result.at_ns = rank.hello_ns;
    result.step = rank.hello->first_step;
    if (model.world_size() > 1) {
      found.push_back(result);
      continue;
    }
    result.rank = kNoRank;
    result.count += run.count;
    run = result;
  }
  if (run.count > 0) found.push_back(run);
}

void add_lost(const model::RunModel& model, std::vector<Alert>& found) {
  for (const Rank number : model.ranks()) {
    const RankModel& rank = *model.rank(number);
    if (rank.counts.lost == 0) continue;
    Alert result = alert(AlertKind::kRecordsLost, number);
    result.count = rank.counts.lost;
    result.at_ns = rank.last_record_ns;
    found.push_back(result);
  }
  const auto add = [&](std::uint64_t count, const char* code) {
    if (count == 0) return;
    Alert result = alert(AlertKind::kRefusedRecords);
    result.count = count;
    result.code = code;
    result.at_ns = model.last_ns();
    found.push_back(result);
  };
  const std::uint64_t unnamed = model.refused().too_many_names;
  add(model.refused().total() - unnamed, "");
  add(unnamed, kTooManyNames);
}

/// Adds the newest notice of each code and rank; plain information is not an alert.
void add_notices(const model::RunModel& model, std::vector<Alert>& found) {
  std::set<std::pair<std::string, Rank>> seen;
  for (auto entry = model.notices().rbegin(); entry != model.notices().rend(); ++entry) {
    if (entry->notice.severity == Severity::kInfo) continue;
    if (!seen.insert({entry->notice.code, entry->stamp.rank}).second) continue;
    Alert result = alert(AlertKind::kNotice, entry->stamp.rank);
    result.severity = entry->notice.severity;
    result.text = entry->notice.text;
    result.code = entry->notice.code;
    result.at_ns = entry->stamp.mono_ns;
    result.attempt = entry->attempt;
    found.push_back(result);
  }
}

}  // namespace

std::string key_of(const Alert& alert) {
  const std::string name(info_of(alert.kind).name);
  std::string key = name + "/" + std::to_string(alert.rank);
  switch (alert.kind) {
    case AlertKind::kLossSpike:
      return name + "/" + std::to_string(alert.step);
    case AlertKind::kMismatch:
    case AlertKind::kLossNotFinite:  // the rank and first step may be corrected later
      return name + "/" + std::to_string(alert.attempt);
    case AlertKind::kRankSilent:
    case AlertKind::kRankHung:
      return key + "/" + std::to_string(alert.step);
    case AlertKind::kRecordsLost:
    case AlertKind::kRefusedRecords:  // ten times as many records are a new alert
      return key + "/" + std::to_string(std::to_string(alert.count).size());
    case AlertKind::kRestarted:
      return key + "/" + std::to_string(alert.count);
    case AlertKind::kRankFailed:
    case AlertKind::kRunFailed:
    case AlertKind::kDidNotDie:
      return key + "/" + std::to_string(alert.attempt);
    case AlertKind::kNotice:
      key += "/" + alert.code;
      // A warning may become an error, and an error of the next attempt is another one.
      return alert.severity == Severity::kError ? key + "/" + std::to_string(alert.attempt) : key;
    case AlertKind::kLogLate:
      return name + "/" + std::to_string(alert.node);
    case AlertKind::kMemoryGrows:  // the rank that runs out first may be corrected later
      return name;
    case AlertKind::kDiskLow:
      return key + "/" + std::to_string(alert.node) + "/" +
             std::to_string(static_cast<int>(alert.severity));
    case AlertKind::kSlowedDevice:  // the rank may be found out later
      return name + "/" + std::to_string(alert.node) + "/" + alert.code;
    default:
      return key;
  }
}

double silent_seconds(const model::RunModel& model, const RankModel& rank, std::int64_t now_ns) {
  // A program may take long to exit after its goodbye, and makes no more steps.
  if (!rank.state || rank.left || rank.goodbye || rank.state->state != State::kTraining ||
      rank.newest_step < 0)
    return 0;
  const std::int64_t newest =
      std::max(rank.end_ns.at(static_cast<std::size_t>(rank.newest_step)), rank.state_ns);
  const auto late_ns = model.late_ns(rank.node);
  const std::int64_t until_ns = now_ns - late_ns.value_or(0);
  return late_ns && until_ns > newest ? static_cast<double>(until_ns - newest) / 1e9 : 0;
}

double log_late_seconds(const model::RunModel& model, Node node) {
  const auto ranks = model.ranks();
  const bool at_work = std::any_of(ranks.begin(), ranks.end(), [&](Rank number) {
    const RankModel& rank = *model.rank(number);
    return rank.node == node && !rank.left && !rank.behind && !rank.goodbye && rank.state &&
           !messages::is_final(rank.state->state);
  });
  return at_work ? static_cast<double>(model.late_ns(node).value_or(0)) / 1e9 : 0;
}

bool is_silent(const model::RunModel& model, const RankModel& rank, double silent_s) {
  const double silent_ns = silent_s * 1e9;
  // The usual step time is only computed if it matters.
  if (silent_ns < static_cast<double>(messages::silence_limit_ns(0))) return false;
  const StepTimeFigures usual = step_times(model, rank.rank, recent_steps(model));
  const auto median_ns = usual.steps > 0 ? static_cast<std::int64_t>(usual.p50_ns) : 0;
  return silent_ns >= static_cast<double>(messages::silence_limit_ns(median_ns));
}

std::vector<Alert> alerts(const model::RunModel& model, std::int64_t now_ns,
                          const AlertLimits& limits) {
  std::vector<Alert> found;
  const bool goes_on = limits.live && !model::has_ended(model);
  add_states(model, found);
  if (!limits.log_problem.empty()) {
    found.push_back(alert(AlertKind::kLogProblem));
    found.back().text = limits.log_problem;
    found.back().at_ns = now_ns;
  }
  add_mismatch(model, found);
  add_broken_loss(model, now_ns, goes_on, found);
  if (goes_on) {
    add_silent(model, now_ns, add_late_logs(model, limits.log_late_s, found), found);
    add_changes(model, found);
    add_machines(model, found);
  }
  add_straggler(model, found);
  add_lost(model, found);
  add_restarts(model, found);
  add_notices(model, found);
  std::erase_if(found, [&limits](const Alert& one) {
    const auto rule = info_of(one.kind).rule;
    return rule && limits.off.test(static_cast<std::size_t>(*rule));
  });
  std::stable_sort(found.begin(), found.end(), [](const Alert& a, const Alert& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    if (a.kind != b.kind) return a.kind < b.kind;
    // Failed ranks keep their order, with the cause first; all other alerts are sorted by time.
    return a.kind != AlertKind::kRankFailed && a.at_ns > b.at_ns;
  });
  return found;
}

}  // namespace ringside::analysis
