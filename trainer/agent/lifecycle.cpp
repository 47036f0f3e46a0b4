#include "trainer/agent/lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <tuple>
#include <utility>

#include "protocol/messages/forming_phases.h"
#include "protocol/messages/records.h"
#include "trainer/agent/words/peer_words.h"

namespace ringside::agent {
namespace {

using messages::RankState;
using messages::Severity;
using messages::State;

constexpr std::int64_t kSweepPollNs = 20'000'000;
constexpr std::int64_t kSilentProgramNs = 5'000'000'000;

}  // namespace

Lifecycle::Lifecycle(std::int32_t ranks, std::int32_t attempt, const LifecycleLimits& limits,
                     Rank first_rank)
    : ranks_(static_cast<std::size_t>(ranks)),
      first_(first_rank),
      attempt_(attempt),
      limits_(limits) {
  set_run_state(State::kStarting, "");
}

void Lifecycle::on_started(bool sends_telemetry, std::int64_t now_ns) {
  for (RankFacts& rank : ranks_) rank.running = rank.started = true;
  if (!sends_telemetry) deadline_ns_ = now_ns + kSilentProgramNs;
}

void Lifecycle::adopt(std::int32_t ranks) {
  RankFacts one;
  one.running = any_running();
  one.started = one.adopted = true;
  const auto before = ranks_.size();
  if (static_cast<std::size_t>(ranks) > before) ranks_.resize(static_cast<std::size_t>(ranks), one);
}

void Lifecycle::on_adopted_end(Rank rank, bool content, std::int64_t now_ns) {
  RankFacts& facts = at(rank);
  if (!content && facts.reported != State::kFailed && stage_ == Stage::kRunning) {
    facts.vanished = true;
    facts.failed_ns = std::min(facts.failed_ns, now_ns);
  }
  if (!facts.adopted || !std::exchange(facts.running, false) || facts.vanished) return;
  facts.failed = facts.reported == State::kFailed && cause_ != Cause::kStopped;
  record_rank(rank, end_state(facts), facts.failed ? describe_failure(rank) : std::string());
}

// The state of each adopted rank follows from what it reported and how its script ended.
void Lifecycle::end_adopted(const RankFacts& script) {
  for (Rank rank = first_ + 1; rank < end(); ++rank) {
    RankFacts& facts = at(rank);
    if (!std::exchange(facts.running, false) && !facts.vanished) continue;
    facts.failed = (facts.reported == State::kFailed && cause_ != Cause::kStopped) ||
                   (facts.vanished && script.failed);
    if (facts.failed && facts.reason.empty()) {
      facts.reason = "its process ended without a word";
      if (!script.reason.empty() && !script.blames_a_peer)
        facts.reason += "; the script that started it: " + script.reason;
    }
    State state = end_state(facts);
    std::string text = facts.failed ? describe_failure(rank) : std::string();
    if (script.failed && !facts.failed && !facts.left) {
      state = State::kStopped;
      text = "ended with the script that started it";
    }
    record_rank(rank, state, std::move(text));
  }
}

void Lifecycle::on_spawn_failed(Rank rank, const std::string& text, std::int64_t now_ns) {
  for (Rank before = first_; before < rank; ++before)
    at(before).running = at(before).started = true;
  at(rank).failed = true;
  at(rank).failed_ns = now_ns;
  at(rank).reason = text;
  record_rank(rank, State::kFailed, describe_failure(rank));
  rank_ended_badly(now_ns);
  if (!any_running()) enter_sweeping(now_ns);
}

void Lifecycle::on_record(const messages::Stamp& stamp, const messages::Record& record) {
  if (stamp.rank < first_ || stamp.rank >= end()) return;
  RankFacts& rank = at(stamp.rank);
  // A rank can only be asked to stop over the wire after its first record.
  const bool stopping = stage_ == Stage::kAsked || stage_ == Stage::kTerminating;
  if (!std::exchange(rank.spoke, true) && stopping && rank.running) act(AskRank{stamp.rank});
  if (const auto* step = std::get_if<messages::StepReport>(&record)) {
    rank.last_step = std::max(rank.last_step, step->step);
    rank.last_collective.clear();  // it was before this step, so it is no longer the last one
    if (run_state_ == State::kStarting) set_run_state(State::kTraining, "");
  } else if (const auto* state = std::get_if<RankState>(&record)) {
    on_rank_state(stamp.rank, *state, stamp.mono_ns);
  } else if (std::holds_alternative<messages::RankGoodbye>(record)) {
    // A failed rank also sends a RankGoodbye.
    rank.left = stage_ == Stage::kRunning && rank.reported != State::kFailed;
    // The rank counted as vanished while its last batch was still in flight.
    if (std::exchange(rank.vanished, false)) rank.failed_ns = kNever;
  }
}

void Lifecycle::on_rank_state(Rank rank, const RankState& state, std::int64_t mono_ns) {
  RankFacts& facts = at(rank);
  facts.reported = state.state;
  if (!state.last_collective.empty()) facts.last_collective = state.last_collective;
  if (state.state == State::kFailed) {
    facts.failed_ns = std::min(facts.failed_ns, mono_ns);
    facts.reason = state.text;
    facts.blames_a_peer = blames_peer(state.text);
  }
  if (state.state == State::kStopped && cause_ == Cause::kNone) facts.asked = state.text;
  // The first rank's state is the run's state as long as nothing ends it.
  const bool lively = state.state == State::kStarting || state.state == State::kTraining ||
                      state.state == State::kEvaluating || state.state == State::kSaving;
  if (rank == first_ && lively && stage_ == Stage::kRunning) set_run_state(state.state, "");
}

void Lifecycle::on_exit(Rank rank, const ExitStatus& status, const FailureEvidence& left,
                        std::int64_t now_ns) {
  RankFacts& facts = at(rank);
  facts.running = false;
  facts.status = status;
  // Ends helper processes of a rank that has ended.
  act(SignalGroup{rank, stage_ >= Stage::kKilling ? SIGKILL : SIGTERM});
  facts.failed = is_failure(facts);
  if (facts.failed) {
    facts.failed_ns = std::min(facts.failed_ns, now_ns);
    // The script that started the ranks knows more than a rank that lost its connection.
    const bool script = ranks_.size() > 1 && at(end() - 1).adopted;
    if (facts.reason.empty() || (script && facts.blames_a_peer && !left.text.empty()))
      facts.reason = left.text;
    facts.blames_a_peer = blames_peer(facts.reason);
    // A rank that failed in backward for its own reason was not waiting for another.
    if (facts.blames_a_peer && facts.last_collective.empty())
      facts.last_collective = left.collective;
  }
  if (facts.failed || facts.reported == State::kStopped) facts.left = false;
  facts.left = facts.left || (stage_ == Stage::kRunning && end_state(facts) == State::kFinished);
  const State state = end_state(facts);
  std::string text = facts.failed  ? describe_failure(rank)
                     : status.ok() ? std::string()
                                   : describe(status);
  if (!facts.failed && !status.ok()) {
    text += cause_ == Cause::kFailed ? ", ended by the agent because another rank failed"
                                     : ", ended by the agent to stop the run";
  }
  record_rank(rank, state, std::move(text));
  if (!facts.adopted && at(end() - 1).adopted) end_adopted(facts);
  if (root_cause() != kNoRank) rank_ended_badly(now_ns);
  if (!any_running() && stage_ < Stage::kSweeping) enter_sweeping(now_ns);
}

// Exits that the agent caused, and any exit code after a requested stop, are not failures.
bool Lifecycle::is_failure(const RankFacts& rank) const {
  const int signal = rank.status.signal;
  if (rank.status.ok()) return rank.reported == State::kFailed;
  // An error during a requested stop is a failure, unless the stop itself broke the connection.
  if (signal == 0 && rank.reported == State::kFailed && !rank.blames_a_peer) return true;
  // A cluster also signals the ranks, so these signals belong to the requested stop.
  const bool ends = signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  if (ends && cause_ == Cause::kStopped) return false;
  if (signal == SIGTERM) return !rank.termed;
  if (signal == SIGKILL) return !rank.killed;
  return signal != 0 || !rank.termed || cause_ != Cause::kStopped;
}

State Lifecycle::end_state(const RankFacts& rank) const {
  if (rank.failed) return State::kFailed;
  if (!rank.status.ok()) return State::kStopped;
  if (rank.reported == State::kStopped || rank.reported == State::kFinished) return rank.reported;
  return cause_ == Cause::kNone ? State::kFinished : State::kStopped;
}

void Lifecycle::rank_ended_badly(std::int64_t now_ns) {
  const bool first = cause_ != Cause::kFailed;
  cause_ = Cause::kFailed;
  if (!first) return;
  const std::string text = describe_run_failure();
  act(PostNotice{{Severity::kError, "rank_failed", text}});
  set_run_state(State::kStopping, text + (any_running() ? "; ending the other ranks" : ""));
  if (stage_ < Stage::kTerminating && any_running()) enter_terminating(now_ns);
}

// Whether a rank only reports a broken connection. NCCL's watchdog reports one and aborts.
bool Lifecycle::is_victim(const RankFacts& rank) {
  return rank.blames_a_peer && (rank.status.signal == 0 || rank.status.signal == SIGABRT);
}

// The agent may see a rank's silent death later than another rank's report of the broken
// connection, so such victims come last, whatever the times say.
Rank Lifecycle::first_failed() const {
  const auto order = [](const RankFacts& rank) {
    return std::tuple(is_victim(rank), rank.failed_ns, rank.status.signal == 0);
  };
  Rank root = kNoRank;
  for (Rank rank = first_; rank < end(); ++rank) {
    if (!at(rank).failed) continue;
    if (root == kNoRank || order(at(rank)) < order(at(root))) root = rank;
  }
  return root;
}

// Among the ranks that ended in order with at most the victim's steps, the one with the fewest.
Rank Lifecycle::early_leaver(Rank victim) const {
  Rank leaver = kNoRank;
  for (Rank rank = first_; rank < end(); ++rank) {
    const RankFacts& facts = at(rank);
    if (!facts.left || facts.last_step > at(victim).last_step) continue;
    if (leaver == kNoRank || facts.last_step < at(leaver).last_step) leaver = rank;
  }
  return leaver;
}

Rank Lifecycle::root_cause() const {
  const Rank first = first_failed();
  if (first == kNoRank || !is_victim(at(first))) return first;
  const Rank leaver = early_leaver(first);
  return leaver == kNoRank ? first : leaver;
}

std::optional<Failure> Lifecycle::failure() const {
  const Rank root = root_cause();
  if (root == kNoRank) return std::nullopt;
  return Failure{at(root).started, at(root).status, describe_run_failure()};
}

bool Lifecycle::failure_blames_a_peer() const {
  const Rank root = root_cause();
  return root != kNoRank && at(root).failed && is_victim(at(root));
}

std::string Lifecycle::describe_leaver(Rank leaver, Rank victim) const {
  const auto after = [](const RankFacts& facts) {
    return facts.last_step < 0 ? std::string("before its first step")
                               : fmt::format("after step {}", facts.last_step + 1);
  };
  const RankFacts& waiting = at(victim);
  const std::string& collective = waiting.last_collective;
  const bool begun = waiting.last_step >= 0 && at(leaver).last_step >= 0;
  return fmt::format("rank {}: ended with exit code 0 {} while rank {} waited{}, {}; likely {}",
                     leaver, after(at(leaver)), victim,
                     collective.empty() ? " for it" : " in " + collective, after(waiting),
                     why_it_left(collective, begun));
}

std::string Lifecycle::describe_failure(Rank rank) const {
  const RankFacts& facts = at(rank);
  if (!facts.failed) return describe_leaver(rank, first_failed());
  if (!facts.started) return fmt::format("rank {} could not be started: {}", rank, facts.reason);
  std::string text = fmt::format(
      "rank {}: {}", rank, facts.status.ok() ? std::string("failed") : describe(facts.status));
  if (facts.last_step >= 0) text += fmt::format(" after step {}", facts.last_step + 1);
  if (!facts.last_collective.empty())
    text += fmt::format(", last collective {}", facts.last_collective);
  if (!facts.reason.empty()) text += ": " + facts.reason;
  if (facts.blames_a_peer) text += stalled_before();
  return text;
}

// Ranks that gave up while connecting only report that others are missing. A rank is known to be
// behind if it reported an earlier phase, or ended without having sent anything.
std::string Lifecycle::describe_run_failure() const {
  const Rank root = root_cause();
  const RankFacts& waiting = at(root);
  const int reached = messages::forming_progress(waiting.last_collective);
  if (!waiting.failed || !is_victim(waiting) || waiting.last_step >= 0 || reached == 0)
    return describe_failure(root);
  std::vector<std::string> absent;
  for (Rank rank = first_; rank < end(); ++rank) {
    const RankFacts& facts = at(rank);
    const int progress = messages::forming_progress(facts.last_collective);
    if (facts.running || facts.failed || facts.last_step >= 0 || progress >= reached) continue;
    if (progress == 0 && !facts.last_collective.empty()) continue;  // past them all
    const bool mute = facts.reported == State::kQueued;
    const std::string where = progress > 0 ? "last in " + facts.last_collective
                              : mute       ? "ended without a word"
                                           : "still getting ready";
    absent.push_back(fmt::format("rank {} ({})", rank, where));
  }
  if (absent.empty())
    return fmt::format("rank {} gave up, and which rank is missing is not known: {}{}", root,
                       waiting.reason, stalled_before());
  return fmt::format("{} did not come to {}, where rank {} waited: {}{}", fmt::join(absent, ", "),
                     waiting.last_collective, root, waiting.reason, stalled_before());
}

void Lifecycle::on_stop(const std::string& who, bool now, std::int64_t now_ns) {
  if (stage_ >= Stage::kKilling) return;
  const bool again = cause_ == Cause::kStopped || stage_ >= Stage::kTerminating;
  if (cause_ == Cause::kNone) {
    cause_ = Cause::kStopped;
    stop_text_ = "asked by " + who;
    set_run_state(State::kStopping, stop_text_);
  }
  if (now) {
    enter_killing(now_ns);
  } else if (!again) {
    enter_asked(now_ns);
  }
}

// Ranks of this node would otherwise wait forever for the failed ones.
void Lifecycle::on_failed_elsewhere(const std::string& text, std::int64_t now_ns) {
  if (stage_ >= Stage::kSweeping || cause_ == Cause::kFailed) return;
  cause_ = Cause::kFailed;
  elsewhere_text_ = text;
  set_run_state(State::kStopping, text + (any_running() ? "; ending the ranks here" : ""));
  if (stage_ < Stage::kTerminating && any_running()) enter_terminating(now_ns);
}

void Lifecycle::enter_asked(std::int64_t now_ns) {
  stage_ = Stage::kAsked;
  deadline_ns_ = now_ns + limits_.ask_ns;
  bool silent = false;
  for (Rank rank = first_; rank < end(); ++rank) {
    if (!at(rank).running) continue;
    act(AskRank{rank});
    silent = silent || !at(rank).spoke;
  }
  // A program that never sent a record does not receive requests either. Our ranks agree on a stop,
  // so one TERM would do; other programs may not.
  if (silent) enter_terminating(now_ns);
}

void Lifecycle::enter_terminating(std::int64_t now_ns) {
  stage_ = Stage::kTerminating;
  deadline_ns_ = now_ns + limits_.grace_ns;
  for (Rank rank = first_; rank < end(); ++rank) {
    if (!at(rank).running) continue;
    at(rank).termed = true;
    act(SignalGroup{rank, SIGTERM});
    act(SignalGroup{rank, SIGCONT});  // a stopped process handles TERM only after it continues
  }
}

void Lifecycle::enter_killing(std::int64_t now_ns) {
  stage_ = Stage::kKilling;
  deadline_ns_ = now_ns + limits_.die_ns;
  for (Rank rank = first_; rank < end(); ++rank) {
    if (!at(rank).running) continue;
    at(rank).killed = true;
    act(SignalGroup{rank, SIGKILL});
  }
}

void Lifecycle::enter_sweeping(std::int64_t now_ns) {
  const bool hurry = stage_ >= Stage::kKilling;
  stage_ = Stage::kSweeping;
  sweep_kill_ns_ = hurry ? now_ns : now_ns + limits_.helper_ns;
  sweep_end_ns_ = sweep_kill_ns_ + limits_.die_ns;
  act(FindSurvivors{});
  deadline_ns_ = now_ns + kSweepPollNs;
}

void Lifecycle::on_survivors(const std::vector<std::int64_t>& pids, std::int64_t now_ns) {
  if (stage_ != Stage::kSweeping) return;
  undead_ = pids;
  if (pids.empty()) {
    conclude();
  } else if (now_ns >= sweep_end_ns_) {
    give_up();
  }
}

void Lifecycle::sweep_again(std::int64_t now_ns) {
  if (now_ns >= sweep_kill_ns_) {
    if (!sweep_killed_ && !undead_.empty()) {
      act(PostNotice{{Severity::kInfo, "helpers_killed",
                      fmt::format("{} process{} left behind by ranks killed", undead_.size(),
                                  undead_.size() == 1 ? "" : "es")}});
    }
    sweep_killed_ = true;
    act(KillSurvivors{});
  }
  act(FindSurvivors{});
  deadline_ns_ = now_ns + kSweepPollNs;
}

void Lifecycle::on_tick(std::int64_t now_ns) {
  if (now_ns < deadline_ns_) return;
  switch (stage_) {
    case Stage::kRunning:
      deadline_ns_ = kNever;
      if (run_state_ == State::kStarting &&
          std::none_of(ranks_.begin(), ranks_.end(), [](const RankFacts& r) { return r.spoke; })) {
        set_run_state(State::kTraining, "the program runs and sends no telemetry so far");
        silence_told_ = true;
      }
      break;
    case Stage::kAsked:
      enter_terminating(now_ns);
      break;
    case Stage::kTerminating:
      enter_killing(now_ns);
      break;
    case Stage::kKilling:
      give_up();
      break;
    case Stage::kSweeping:
      sweep_again(now_ns);
      break;
    case Stage::kOver:
      break;
  }
}

// Reports the processes that KILL did not end in time; the run does not count as stopped.
void Lifecycle::give_up() {
  std::vector<std::string> names;
  for (Rank rank = first_; rank < end(); ++rank) {
    if (!at(rank).running) continue;
    record_rank(rank, State::kDidNotDie,
                "did not die after SIGKILL: most likely it waits in the kernel");
    names.push_back(fmt::format("rank {}", rank));
  }
  if (stage_ == Stage::kSweeping) {
    for (std::int64_t pid : undead_) names.push_back(fmt::format("process {}", pid));
  }
  const std::string text = fmt::format(
      "{} did not die after SIGKILL and may still hold memory or a GPU", fmt::join(names, ", "));
  act(PostNotice{{Severity::kError, "did_not_die", text}});
  stage_ = Stage::kOver;
  deadline_ns_ = kNever;
  set_run_state(State::kDidNotDie, text);
}

void Lifecycle::conclude() {
  stage_ = Stage::kOver;
  deadline_ns_ = kNever;
  const auto all = [&](State state) {
    return std::all_of(ranks_.begin(), ranks_.end(),
                       [&](const RankFacts& r) { return end_state(r) == state; });
  };
  if (root_cause() != kNoRank) {
    set_run_state(State::kFailed, describe_run_failure());
  } else if (all(State::kFinished)) {
    set_run_state(State::kFinished, "");
  } else if (!elsewhere_text_.empty()) {
    set_run_state(State::kStopped, elsewhere_text_);
  } else {
    set_run_state(State::kStopped, cause_ == Cause::kStopped ? stop_text_ : own_stop_text());
  }
}

// The signal that stopped all ranks is known only to the rank that received it.
std::string Lifecycle::own_stop_text() const {
  std::string text = "the ranks stopped in order by themselves";
  for (Rank rank = first_; rank < end(); ++rank) {
    const std::size_t asked = at(rank).asked.find("asked by ");
    if (asked != std::string::npos)
      return text + fmt::format("; rank {} was {}", rank, at(rank).asked.substr(asked));
  }
  return text;
}

void Lifecycle::set_run_state(State state, std::string text) {
  const bool spoke_late = state == State::kTraining && std::exchange(silence_told_, false);
  if (state == run_state_ && text.empty() && !spoke_late) return;
  run_state_ = state;
  record_rank(kNoRank, state, std::move(text));
}

void Lifecycle::record_rank(Rank rank, State state, std::string text) {
  RankState record;
  record.state = state;
  record.attempt = attempt_;
  record.about = rank;
  record.text = std::move(text);
  if (rank != kNoRank) {
    const RankFacts& facts = at(rank);
    record.last_step = facts.last_step;
    record.last_collective = facts.last_collective;
    const bool ended = facts.started && !facts.running && !facts.adopted;
    record.exit_code = ended && facts.status.signal == 0 ? facts.status.exit_code : -1;
    record.signal = ended && facts.status.signal != 0 ? facts.status.signal : -1;
  } else {
    for (const RankFacts& facts : ranks_)
      record.last_step = std::max(record.last_step, facts.last_step);
  }
  act(RecordState{std::move(record)});
}

bool Lifecycle::any_running() const {
  return std::any_of(ranks_.begin(), ranks_.end(),
                     [](const RankFacts& rank) { return rank.running; });
}

std::vector<Action> Lifecycle::take_actions() { return std::exchange(actions_, {}); }

}  // namespace ringside::agent
