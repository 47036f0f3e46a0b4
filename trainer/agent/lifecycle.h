// What to do about the processes of one attempt: a state machine. Events and the time go in,
// actions come out; no process, socket or clock is touched here. The agent's loop owns one per
// attempt and carries out its actions.
//
//   running -> asked -> terminating -> killing -> sweeping -> over
//
// A stop asks over the wire first (a checkpoint is worth waiting for), then sends TERM, then KILL
// after the grace. A failed rank sends the others TERM at once. When all leaders have ended, what
// is left of their groups goes too.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/messages/event_records.h"
#include "protocol/messages/rank_records.h"
#include "trainer/agent/processes/exit_status.h"
#include "trainer/agent/restart_policy.h"

namespace ringside::agent {

struct LifecycleLimits {
  std::int64_t ask_ns = 10'000'000'000;    ///< from asking over the wire to TERM
  std::int64_t grace_ns = 30'000'000'000;  ///< from TERM to KILL
  std::int64_t die_ns = 5'000'000'000;     ///< from KILL to "did not die"
  std::int64_t helper_ns = 1'000'000'000;  ///< for helpers whose rank has ended, from TERM to KILL
};

/// What a rank that failed left behind.
struct LeftBehind {
  std::string text;        ///< its reason, and other evidence
  std::string collective;  ///< in which it failed, where its last words name one
};
/// Ask a rank over the wire to stop.
struct AskRank {
  Rank rank = 0;
};
/// Send a signal to a rank's process group.
struct SignalGroup {
  Rank rank = 0;
  int signal = 0;
};
/// Find which processes of the ranks' groups and helpers still run, and call on_survivors.
struct FindSurvivors {};
/// KILL them all, groups and marked helpers.
struct KillSurvivors {};
/// Write this into the log; `state.about`: of which rank.
struct RecordState {
  messages::RankState state;
};
struct PostNotice {
  messages::Notice notice;
};
using Action =
    std::variant<AskRank, SignalGroup, FindSurvivors, KillSurvivors, RecordState, PostNotice>;

enum class Stage : std::uint8_t { kRunning, kAsked, kTerminating, kKilling, kSweeping, kOver };

class Lifecycle {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// Manages the ranks from `first_rank` on; others are on other nodes.
  Lifecycle(std::int32_t ranks, std::int32_t attempt, const LifecycleLimits& limits,
            Rank first_rank = 0);

  /// Manages so many ranks from now on: the one process has started them itself, and they end with
  /// it. How it ended is known of that process alone, the first rank's.
  void adopt(std::int32_t ranks);
  /// The process of an adopted rank has ended; `content`: with its goodbye.
  void on_adopted_end(Rank rank, bool content, std::int64_t now_ns);
  /// All ranks run now. `sends_telemetry` false: not known (a custom program).
  void on_started(bool sends_telemetry, std::int64_t now_ns);
  /// `text`: why. The ranks from this one on were not started.
  void on_spawn_failed(Rank rank, const std::string& text, std::int64_t now_ns);
  /// RankHello, StepReport, RankState and RankGoodbye of a rank; others change nothing.
  void on_record(const messages::Stamp& stamp, const messages::Record& record);
  /// The leader of a rank's group has ended.
  void on_exit(Rank rank, const ExitStatus& status, const LeftBehind& left, std::int64_t now_ns);
  /// `text`: the silent ranks, as a person reads it; empty: none any more. Goes into the reason of
  /// a rank that fails for want of another.
  void on_stall(std::string text) { stall_text_ = std::move(text); }
  /// `who`: "SIGINT", "a viewer". `now`: without asking and without grace.
  void on_stop(const std::string& who, bool now, std::int64_t now_ns);
  /// Ranks of another node failed: those here have to end too. `text`: why.
  void on_failed_elsewhere(const std::string& text, std::int64_t now_ns);
  void on_survivors(const std::vector<std::int64_t>& pids, std::int64_t now_ns);
  void on_tick(std::int64_t now_ns);

  std::int64_t next_deadline_ns() const { return deadline_ns_; }
  std::vector<Action> take_actions();

  Stage stage() const { return stage_; }
  bool over() const { return stage_ == Stage::kOver; }
  bool is_running(Rank rank) const { return at(rank).running; }
  Step last_step(Rank rank) const { return at(rank).last_step; }
  messages::State run_state() const { return run_state_; }
  /// Failure of the rank that is named as the cause; nothing while none has failed. Where it left
  /// the others with exit code 0, its status is that.
  std::optional<Failure> failure() const;
  /// Whether that rank only reports a connection that somebody else broke.
  bool failure_blames_a_peer() const;

 private:
  enum class Cause : std::uint8_t { kNone, kStopped, kFailed };
  struct RankFacts {
    bool running = false;
    bool started = false;
    bool spoke = false;
    bool termed = false;  // by us
    bool killed = false;  // by us
    bool adopted = false;
    bool vanished = false;  // adopted, and ended without a word before its script did
    bool failed = false;
    bool blames_a_peer = false;  // its own report names a broken connection
    bool left = false;           // content, before anybody asked it to
    messages::State reported = messages::State::kQueued;
    Step last_step = -1;
    std::int64_t failed_ns = kNever;
    ExitStatus status;
    std::string last_collective;
    std::string reason;  // of its own report, or left behind
    std::string asked;   // its own report of a stop that the agent did not ask for
  };
  RankFacts& at(Rank rank) { return ranks_[static_cast<std::size_t>(rank - first_)]; }
  const RankFacts& at(Rank rank) const { return ranks_[static_cast<std::size_t>(rank - first_)]; }
  Rank end() const { return first_ + static_cast<Rank>(ranks_.size()); }

  void on_rank_state(Rank rank, const messages::RankState& state, std::int64_t mono_ns);
  void rank_ended_badly(std::int64_t now_ns);
  void end_adopted(bool script_failed);
  bool is_failure(const RankFacts& rank) const;
  messages::State end_state(const RankFacts& rank) const;
  static bool is_victim(const RankFacts& rank);
  Rank first_failed() const;
  Rank early_leaver(Rank victim) const;
  Rank root_cause() const;
  std::string describe_leaver(Rank leaver, Rank victim) const;
  std::string describe_failure(Rank rank) const;
  std::string describe_run_failure() const;
  /// "; before that: rank 0 does not run": ends a reason that only tells of others; or nothing.
  std::string stalled_before() const {
    return stall_text_.empty() ? std::string() : "; before that: " + stall_text_;
  }
  void enter_asked(std::int64_t now_ns);
  void enter_terminating(std::int64_t now_ns);
  void enter_killing(std::int64_t now_ns);
  void enter_sweeping(std::int64_t now_ns);
  void sweep_again(std::int64_t now_ns);
  void conclude();
  void give_up();
  void set_run_state(messages::State state, std::string text);
  void record_rank(Rank rank, messages::State state, std::string text);
  std::string own_stop_text() const;
  bool any_running() const;
  template <class Act>
  void act(Act action) {
    actions_.emplace_back(std::move(action));
  }

  std::vector<RankFacts> ranks_;
  Rank first_;
  std::int32_t attempt_;
  LifecycleLimits limits_;
  Stage stage_ = Stage::kRunning;
  Cause cause_ = Cause::kNone;
  messages::State run_state_ = messages::State::kQueued;
  std::string stop_text_;
  std::string stall_text_;
  std::string elsewhere_text_;
  std::int64_t deadline_ns_ = kNever;
  std::int64_t sweep_kill_ns_ = 0;
  std::int64_t sweep_end_ns_ = 0;
  bool sweep_killed_ = false;
  bool silence_told_ = false;  // the run's state says that nothing has come
  std::vector<std::int64_t> undead_;
  std::vector<Action> actions_;
};

}  // namespace ringside::agent
