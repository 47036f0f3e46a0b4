// State machine of the processes of one attempt. It gets events and times and returns actions; it
// does not access processes, sockets or the clock. The agent's loop owns one per attempt and
// carries out its actions.
//
//   running -> asked -> terminating -> killing -> sweeping -> over
//
// A stop first asks over the wire (so that a checkpoint can be saved), then sends TERM, then KILL
// after the grace period. When a rank fails, the others get TERM at once. When all leaders have
// ended, the remaining processes of their groups are ended too.
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
  std::int64_t ask_ns = 10'000'000'000;    ///< from the request over the wire to TERM
  std::int64_t grace_ns = 30'000'000'000;  ///< from TERM to KILL
  std::int64_t die_ns = 5'000'000'000;     ///< from KILL to "did not die"
  std::int64_t helper_ns = 1'000'000'000;  ///< from TERM to KILL, for helpers whose rank has ended
};

struct FailureEvidence {
  std::string text;        ///< its error and other evidence
  std::string collective;  ///< collective in which it failed, if its output names one
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
/// Find the remaining processes of the ranks' groups and their helpers, and call on_survivors.
struct FindSurvivors {};
/// Send KILL to all of them, groups and marked helpers.
struct KillSurvivors {};
/// Write this to the log; `state.about` is the rank that it describes.
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

  /// Manages the ranks from `first_rank` on; the others are on other nodes.
  Lifecycle(std::int32_t ranks, std::int32_t attempt, const LifecycleLimits& limits,
            Rank first_rank = 0);

  /// From now on manages this many ranks, which the only process has started itself and which end
  /// with it. The exit status is known only for that process, the first rank.
  void adopt(std::int32_t ranks);
  /// The process of an adopted rank has ended; `content`: it had sent its goodbye.
  void on_adopted_end(Rank rank, bool content, std::int64_t now_ns);
  /// All ranks are running. `sends_telemetry` false: unknown (a custom program).
  void on_started(bool sends_telemetry, std::int64_t now_ns);
  /// `text` is the reason. The ranks from this one on were not started.
  void on_spawn_failed(Rank rank, const std::string& text, std::int64_t now_ns);
  /// Handles a rank's RankHello, StepReport, RankState and RankGoodbye; ignores other records.
  void on_record(const messages::Stamp& stamp, const messages::Record& record);
  /// The leader of a rank's group has ended.
  void on_exit(Rank rank, const ExitStatus& status, const FailureEvidence& left,
               std::int64_t now_ns);
  /// `text` describes the silent ranks; empty when none is silent any more. It is added to the
  /// reason of a rank that fails because another is missing.
  void on_stall(std::string text) { stall_text_ = std::move(text); }
  /// `who`: "SIGINT", messages::kAsker. `now`: without a request and without a grace period.
  void on_stop(const std::string& who, bool now, std::int64_t now_ns);
  /// Ranks of another node failed, so the ranks of this node must end too. `text` is the reason.
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
  /// Failure of the rank that is named as the cause; empty while none has failed. If that rank
  /// ended with exit code 0 while others waited, the failure has that status.
  std::optional<Failure> failure() const;
  /// Whether that rank only reports a connection that another rank broke.
  bool failure_blames_a_peer() const;

 private:
  enum class Cause : std::uint8_t { kNone, kStopped, kFailed };
  struct RankFacts {
    bool running = false;
    bool started = false;
    bool spoke = false;
    bool termed = false;  // by the agent
    bool killed = false;  // by the agent
    bool adopted = false;
    bool vanished = false;  // adopted, and ended without a goodbye before its script did
    bool failed = false;
    bool blames_a_peer = false;  // its own report names a broken connection
    bool left = false;           // ended in order, before it was asked to stop
    messages::State reported = messages::State::kQueued;
    Step last_step = -1;
    std::int64_t failed_ns = kNever;
    ExitStatus status;
    std::string last_collective;
    std::string reason;  // from its own report, its output, or its script
    std::string asked;   // its own report of a stop that the agent did not ask for
  };
  RankFacts& at(Rank rank) { return ranks_[static_cast<std::size_t>(rank - first_)]; }
  const RankFacts& at(Rank rank) const { return ranks_[static_cast<std::size_t>(rank - first_)]; }
  Rank end() const { return first_ + static_cast<Rank>(ranks_.size()); }

  void on_rank_state(Rank rank, const messages::RankState& state, std::int64_t mono_ns);
  void rank_ended_badly(std::int64_t now_ns);
  void end_adopted(const RankFacts& script);
  bool is_failure(const RankFacts& rank) const;
  messages::State end_state(const RankFacts& rank) const;
  static bool is_victim(const RankFacts& rank);
  Rank first_failed() const;
  Rank early_leaver(Rank victim) const;
  Rank root_cause() const;
  std::string describe_leaver(Rank leaver, Rank victim) const;
  std::string describe_failure(Rank rank) const;
  std::string describe_run_failure() const;
  /// "; before that: rank 0 does not run": suffix for a reason that only reports other ranks; may
  /// be empty.
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
  bool silence_told_ = false;  // the run's state says that no telemetry has come
  std::vector<std::int64_t> undead_;
  std::vector<Action> actions_;
};

}  // namespace ringside::agent
