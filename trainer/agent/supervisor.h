// Runs one attempt of one run: starts its ranks, passes events to Lifecycle and StallWatch, carries
// out their decisions, and logs all of it. Ranks that the only process of a run starts itself are
// adopted when they send telemetry (supervisor_adopted.cpp). After a failure it waits for the time
// of the next attempt. Used by the agent's loop only; its arguments must outlive it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/wire/poller.h"
#include "protocol/wire/telemetry_receiver.h"
#include "trainer/agent/lifecycle.h"
#include "trainer/agent/nodes/node_group.h"
#include "trainer/agent/output_cap.h"
#include "trainer/agent/output_stamps.h"
#include "trainer/agent/processes/spawner.h"
#include "trainer/agent/restart_policy.h"
#include "trainer/agent/run_item.h"
#include "trainer/agent/sampler.h"
#include "trainer/agent/stall_watch.h"
#include "trainer/probe/oom_evidence.h"

namespace ringside::agent {

class Supervisor {
 public:
  struct Parts {
    const Clock& clock;
    wire::Poller& poller;
    wire::TelemetryReceiver& telemetry;
    Spawner& spawner;
    std::filesystem::path proc_root = "/";
    OutputCap output_cap = {};
    std::function<std::optional<Sampler::Reading>()> read_now = {};  ///< empty: no GPU is sampled
  };
  /// Poller tags from this value on are ranks.
  static constexpr std::int32_t kFirstRankTag = 1000;
  /// Tag for output of a rank, which on_tick() handles.
  static constexpr std::int32_t kOutputTag = kFirstRankTag - 1;

  /// `restarts` decides whether another attempt follows a failed one.
  Supervisor(const Parts& parts, RunItem& item, SpawnPlan plan, RestartPolicy& restarts);
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor();

  /// Maximum number of ranks that a script may start itself.
  static constexpr std::int32_t kMostAdopted = 1024;

  /// Starts every rank. A failure becomes the run's failure, reported in its log. `listener` is the
  /// rendezvous socket if rank 0 inherits it, else negative.
  void start(int listener = -1);

  void on_batch(const wire::Batch& batch);
  void on_rank_ended(Rank rank);
  void on_reading(const Sampler::Reading& reading);
  void on_stop(const std::string& who, bool now);
  /// Ranks of another node failed; `text` says which and why.
  void on_failed_elsewhere(const std::string& text);
  void on_tick();
  /// Monotonic time at which on_tick must be called.
  std::int64_t next_deadline_ns() const;

  /// Whether nothing is left to do: every process is gone, and the wait before the next attempt, if
  /// any, has passed.
  bool over() const;
  /// Whether another attempt follows. A stop during the wait cancels it.
  bool will_restart() const { return restart_ns_.has_value(); }
  /// Whether this node's part of a run on several nodes has ended, but the outcome of the run is
  /// not yet known.
  bool waits_for_verdict() const { return held_.has_value(); }
  std::optional<Failure> first_failure() const { return life_.failure(); }
  NodeOutcome outcome() const;
  /// Sets the outcome of the attempt over all nodes. On node 0 it may start another attempt, which
  /// the other nodes get it.
  void conclude(const NodeOutcome& outcome);
  void conclude_with_restart(const std::string& text);
  /// Processes by local rank, 0 for those that have ended; watched by the sampler.
  std::vector<std::int64_t> living() const;
  /// One JSON object for `ringside status`.
  std::string status_json() const;

 private:
  struct SenderState {
    std::uint64_t next_seq = 0;
    bool goodbye = false;
    bool kept = false;  // unsent records were read: of later batches, skip numbers below next_seq
  };

  Result<void> make_folders() const;
  void perform_actions();
  // One overload per action: an action without one does not compile.
  void carry_out(const AskRank& ask);
  void carry_out(const SignalGroup& signal);
  void carry_out(const FindSurvivors& find);
  void carry_out(const KillSurvivors& kill);
  void carry_out(const RecordState& record);
  void carry_out(const PostNotice& post);
  std::size_t place(Rank rank) const { return static_cast<std::size_t>(rank - item_.ranks.first); }
  void report_state(messages::RankState state);
  void restart_after(const Failure& failure, messages::RankState& state);
  void stop_waiting(const std::string& who);
  void report_refusals();
  void cap_output();
  void hear(std::span<const std::byte> payload);
  void take_unsent_records(Rank rank);
  void miss_goodbye(Rank rank, const ExitStatus& status);
  void note_nested_ranks(Rank rank);
  std::string how_to_start(Rank rank, const std::string& why) const;
  bool may_adopt() const;
  void adopt(std::int32_t ranks);
  void on_hello(Rank rank, const messages::RankHello& hello);
  void look_at_adopted(bool script_ended);
  pid_t pid_of(Rank rank) const;
  FailureEvidence read_evidence(Rank rank, const ExitStatus& status) const;
  FailureEvidence collect_evidence(Rank rank, const ExitStatus& status);

  Parts parts_;
  RunItem& item_;
  SpawnPlan plan_;
  RestartPolicy& restarts_;
  Lifecycle life_;
  StallWatch stall_;
  std::vector<Spawned> ranks_;
  std::vector<bool> ended_;
  std::vector<SenderState> senders_;
  std::vector<pid_t> adopted_;  // by rank; 0: unknown or ended; empty: none were adopted
  bool adoption_told_ = false;
  OutputStamps output_;
  std::vector<std::int64_t> survivors_;
  probe::OomCounts oom_;
  std::optional<std::int64_t> restart_ns_;  // start of the next attempt
  std::optional<messages::RankState>
      held_;                           // this node's outcome, until those of the others are known
  wire::ReceiveCounts counts_before_;  // of earlier runs and attempts
  std::uint64_t refusals_reported_ = 0;
  bool nested_reported_ = false;
  std::int64_t next_round_ns_ = 0;  // next time for the checks made once per second
};

}  // namespace ringside::agent
