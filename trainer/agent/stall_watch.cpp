#include "trainer/agent/stall_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "protocol/messages/notice_codes.h"
#include "protocol/messages/silence.h"

namespace ringside::agent {
namespace {

using messages::Notice;
using messages::Severity;
using messages::State;

constexpr std::size_t kStepsKept = 31;
constexpr std::size_t kStepsNeeded = 3;

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace

std::string name_ranks(const std::vector<Rank>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  std::string text = "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ", ranks[i]);
  }
  return text;
}

StallWatch::StallWatch(std::int32_t ranks, std::int64_t stall_ns, Rank first_rank)
    : ranks_(static_cast<std::size_t>(ranks)), first_(first_rank), stall_ns_(stall_ns) {}

void StallWatch::begin(std::int64_t now_ns) {
  for (Watched& watched : ranks_) {
    watched.begun = true;
    watched.last_record_ns = now_ns;
  }
}

void StallWatch::on_state(Rank rank, State state, std::int64_t now_ns,
                          const std::string& last_collective) {
  Watched& watched = at(rank);
  watched.collective = last_collective;
  const bool waits = state == State::kTraining && !last_collective.empty();
  if (waits && watched.state == State::kTraining) return;
  watched.begun = true;
  watched.state = state;
  watched.last_record_ns = now_ns;
  if (watched.told) resumed_ = true;
}

void StallWatch::on_step(Rank rank, Step step, std::int64_t step_ns, std::int64_t now_ns) {
  Watched& watched = at(rank);
  watched.begun = true;
  if (!watched.arrived()) watched.state = State::kTraining;
  watched.step = step;
  watched.last_record_ns = now_ns;
  watched.collective.clear();
  if (watched.told) resumed_ = true;
  if (watched.recent_steps_ns.size() < kStepsKept) {
    watched.recent_steps_ns.push_back(step_ns);
  } else {
    watched.recent_steps_ns[watched.next_slot] = step_ns;
    watched.next_slot = (watched.next_slot + 1) % kStepsKept;
  }
}

void StallWatch::on_end(Rank rank) { at(rank).ended = true; }

std::int64_t StallWatch::allowed_silence_ns(Rank rank) const {
  const Watched& watched = at(rank);
  if (watched.state != State::kTraining || watched.recent_steps_ns.size() < kStepsNeeded) {
    return std::max(stall_ns_, messages::kLeastSilenceNs);
  }
  std::vector<std::int64_t> sorted = watched.recent_steps_ns;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return messages::silence_limit_ns(*middle);
}

bool StallWatch::anyone_silent() const {
  return std::any_of(ranks_.begin(), ranks_.end(),
                     [](const Watched& one) { return (one.told || one.held) && !one.ended; });
}

std::int64_t StallWatch::next_check_ns() const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  if (one_held_) return next;
  if (resumed_) return 0;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (!ranks_[i].watched() || ranks_[i].told) continue;
    next = std::min(next, ranks_[i].last_record_ns + allowed_silence_ns(rank_at(i)));
  }
  return next;
}

std::optional<Notice> StallWatch::resumed(std::int64_t now_ns) {
  resumed_ = false;
  std::vector<Rank> moving;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (!ranks_[i].told || ranks_[i].last_record_ns <= told_since_ns_) continue;
    ranks_[i].told = false;
    moving.push_back(rank_at(i));
  }
  if (moving.empty()) return std::nullopt;
  return over(moving, now_ns);
}

Notice StallWatch::over(const std::vector<Rank>& moving, std::int64_t now_ns) const {
  return {Severity::kInfo, messages::kStallOver,
          fmt::format("{} {} on, {:.0f} s after the silence was noticed", name_ranks(moving),
                      moving.size() == 1 ? "goes" : "go", seconds(now_ns - told_since_ns_))};
}

// Checks every living rank, even one from which no record is expected yet.
std::optional<Notice> StallWatch::stopped(std::int64_t now_ns, const ProcessState& process_state) {
  std::vector<Rank> fresh;
  std::vector<Rank> moving;
  bool stands_still = false;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    Watched& watched = ranks_[i];
    const char state = watched.ended ? '?' : process_state(rank_at(i));
    const bool stands = state == 'T' || state == 't';
    if (!stands) {
      watched.stopped_ns = 0;
      if (watched.held && !watched.ended) moving.push_back(rank_at(i));
      continue;
    }
    if (watched.stopped_ns == 0) watched.stopped_ns = now_ns;
    // A tracer stops a process for moments, for example at each system call.
    const bool due = state == 'T' || now_ns - watched.stopped_ns >= messages::kLeastSilenceNs;
    if (due && !watched.held) fresh.push_back(rank_at(i));
    watched.held = watched.held || due;
    stands_still = stands_still || watched.held;
  }
  if (!fresh.empty()) {
    one_held_ = true;
    told_since_ns_ = now_ns;
    return Notice{
        Severity::kWarning, messages::kRankStopped,
        fmt::format("{} {} not run, {}: {} (SIGSTOP or a debugger)", name_ranks(fresh),
                    fresh.size() == 1 ? "does" : "do", progress_of(at(fresh[0])),
                    fresh.size() == 1 ? "its process is stopped" : "their processes are stopped")};
  }
  if (!one_held_ || stands_still) return std::nullopt;
  one_held_ = false;
  for (Watched& watched : ranks_) {
    watched.held = watched.told = false;
    watched.last_record_ns = std::max(watched.last_record_ns, now_ns);
  }
  return moving.empty() ? std::nullopt : std::optional(over(moving, now_ns));
}

// The ranks that the others probably wait for, by the best available evidence.
std::vector<Rank> StallWatch::suspects(const std::vector<Rank>& silent,
                                       const ProcessState& process_state, std::string& why) const {
  const auto those = [&](auto&& test) {
    std::vector<Rank> found;
    std::copy_if(silent.begin(), silent.end(), std::back_inserter(found), test);
    return found;
  };
  if (auto stuck = those([&](Rank r) { return process_state(r) == 'D'; });
      !stuck.empty() && stuck.size() < silent.size()) {
    why = "waiting in the kernel for a disk or a driver";
    return stuck;
  }
  if (auto missed = missed_in_group(silent, why); !missed.empty()) return missed;
  const auto step_of = [&](Rank r) {
    const Watched& watched = at(r);
    return watched.arrived() ? watched.step : Step{-2};
  };
  Step least = std::numeric_limits<Step>::max();
  for (Rank r : silent) least = std::min(least, step_of(r));
  auto behind = those([&](Rank r) { return step_of(r) == least; });
  if (behind.size() < silent.size()) {
    why = "behind the others";
    return behind;
  }
  const auto ended = ended_before(least);
  if (ended.empty()) return not_entered(silent, why);
  why = fmt::format("{} ended before, {}", name_ranks(ended), progress_of(at(ended[0])));
  return silent;
}

// Ranks that ended without having got further than the silent ones, which wait for them.
std::vector<Rank> StallWatch::ended_before(Step step) const {
  std::vector<Rank> found;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].ended && ranks_[i].arrived() && ranks_[i].step <= step)
      found.push_back(rank_at(i));
  }
  return found;
}

// Silent members of a group in which others wait, which report their position and do not wait
// themselves.
std::vector<Rank> StallWatch::missed_in_group(const std::vector<Rank>& silent,
                                              std::string& why) const {
  for (const Rank waiting : silent) {
    const std::string& text = at(waiting).collective;
    const auto members = messages::ranks_waited_among(text);
    std::vector<Rank> found;
    std::copy_if(silent.begin(), silent.end(), std::back_inserter(found), [&](Rank rank) {
      const std::string& own = at(rank).collective;
      return std::find(members.begin(), members.end(), rank) != members.end() && !own.empty() &&
             !messages::waits_among_some(own);
    });
    if (found.empty()) continue;
    why = fmt::format("{} not entered {}, in which {} waits", found.size() == 1 ? "has" : "have",
                      text, name_ranks({waiting}));
    return found;
  }
  return {};
}

// Silent ranks at the same step that have entered fewer collectives than the others; all silent
// ranks if that is unknown.
std::vector<Rank> StallWatch::not_entered(const std::vector<Rank>& silent, std::string& why) const {
  const auto text_of = [&](Rank r) -> const std::string& { return at(r).collective; };
  const auto number_of = [&](Rank r) { return messages::collective_number(text_of(r)); };
  const auto furthest = std::max_element(
      silent.begin(), silent.end(), [&](Rank a, Rank b) { return number_of(a) < number_of(b); });
  std::vector<Rank> found;
  for (const Rank rank : silent) {
    const auto number = number_of(rank);
    if (number && *number < *number_of(*furthest)) found.push_back(rank);
  }
  if (found.empty()) return silent;
  why = fmt::format("{} not entered {}, in which {} waits", found.size() == 1 ? "has" : "have",
                    text_of(*furthest), name_ranks({*furthest}));
  return found;
}

std::string StallWatch::progress_of(const Watched& watched) {
  if (!watched.arrived()) return "not arrived since the start";
  return watched.step >= 0 ? fmt::format("last step {}", watched.step + 1) : "no step yet";
}

std::optional<Notice> StallWatch::check(std::int64_t now_ns, const ProcessState& process_state) {
  if (auto notice = stopped(now_ns, process_state)) return notice;
  if (one_held_) return std::nullopt;
  if (resumed_) {
    if (auto notice = resumed(now_ns)) return notice;
  }
  // One notice per wait: ranks that have been silent for half the limit count as part of the same
  // silence.
  std::vector<Rank> silent;
  bool news = false;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank rank = rank_at(i);
    const std::int64_t allowed_ns = allowed_silence_ns(rank);
    const std::int64_t silence_ns = now_ns - ranks_[i].last_record_ns;
    if (!ranks_[i].watched() || silence_ns < allowed_ns / 2) continue;
    silent.push_back(rank);
    news = news || (!ranks_[i].told && silence_ns >= allowed_ns);
  }
  if (!news) return std::nullopt;
  for (Rank rank : silent) at(rank).told = true;
  told_since_ns_ = now_ns;
  std::string why;
  const std::vector<Rank> named = suspects(silent, process_state, why);
  const Watched& first = at(named[0]);
  std::string text = fmt::format("{} silent for {:.0f} s, {}", name_ranks(named),
                                 seconds(now_ns - first.last_record_ns), progress_of(first));
  if (!why.empty()) text += ": " + why;
  if (named.size() < silent.size()) {
    std::vector<Rank> others;
    std::set_difference(silent.begin(), silent.end(), named.begin(), named.end(),
                        std::back_inserter(others));
    text +=
        fmt::format("; {} {} silent too", name_ranks(others), others.size() == 1 ? "is" : "are");
  }
  return Notice{Severity::kWarning, "stall", text};
}

}  // namespace ringside::agent
