// Detects ranks whose processes are stopped and ranks that have gone silent, and names the one that
// the others probably wait for. Pure: times are passed in. One object per attempt, used by the
// agent's loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages/event_records.h"

namespace ringside::agent {

class StallWatch {
 public:
  /// Letter of /proc/PID/stat for a rank's process, '?' when unknown.
  using ProcessState = std::function<char(Rank)>;

  /// `stall_ns` is the allowed silence outside of training steps (loading, evaluating, saving).
  /// Watches the ranks from `first_rank` on.
  StallWatch(std::int32_t ranks, std::int64_t stall_ns, Rank first_rank = 0);

  /// All ranks have been started and are expected to send records. Without this call, each is
  /// watched from its first record on.
  void begin(std::int64_t now_ns);
  /// A training rank that reports the collective it has entered has not progressed; the report says
  /// where it waits.
  void on_state(Rank rank, messages::State state, std::int64_t now_ns,
                const std::string& last_collective = {});
  void on_step(Rank rank, Step step, std::int64_t step_ns, std::int64_t now_ns);
  /// Watches this many ranks from now on, each from its first record on.
  void adopt(std::int32_t ranks) {
    ranks_.resize(std::max(ranks_.size(), static_cast<std::size_t>(ranks)));
  }
  /// The rank has ended or sent its RankGoodbye: no more records are expected.
  void on_end(Rank rank);

  /// A warning when ranks are silent for longer than silence_limit_ns() in training, or stall_ns
  /// elsewhere; an info notice when they continue. Each silence is reported once. Also a warning at
  /// once when a rank's process is stopped, or after it was held by a debugger for kLeastSilenceNs,
  /// in any state, even before its first record. Meanwhile no rank counts as silent, since all may
  /// wait for it. Call it about once per second, and at next_check_ns().
  std::optional<messages::Notice> check(std::int64_t now_ns, const ProcessState& process_state);

  /// Whether a reported rank has not continued.
  bool anyone_silent() const;

  /// When check() may next return a notice.
  std::int64_t next_check_ns() const;

  std::int64_t allowed_silence_ns(Rank rank) const;

 private:
  struct Watched {
    messages::State state = messages::State::kQueued;  // kQueued: no record yet
    bool begun = false;
    bool ended = false;
    bool told = false;
    std::int64_t stopped_ns = 0;  // when its process was first seen stopped; 0: it runs
    bool held = false;            // that was reported
    Step step = -1;
    std::int64_t last_record_ns = 0;
    std::string collective;                     // last reported collective after its newest step
    std::vector<std::int64_t> recent_steps_ns;  // ring buffer of the newest step times
    std::size_t next_slot = 0;
    bool watched() const { return begun && !ended; }
    bool arrived() const { return state != messages::State::kQueued; }
  };
  std::optional<messages::Notice> resumed(std::int64_t now_ns);
  std::optional<messages::Notice> stopped(std::int64_t now_ns, const ProcessState& process_state);
  messages::Notice over(const std::vector<Rank>& moving, std::int64_t now_ns) const;
  std::vector<Rank> ended_before(Step step) const;
  std::vector<Rank> missed_in_group(const std::vector<Rank>& silent, std::string& why) const;
  std::vector<Rank> not_entered(const std::vector<Rank>& silent, std::string& why) const;
  static std::string progress_of(const Watched& watched);
  std::vector<Rank> suspects(const std::vector<Rank>& silent, const ProcessState& process_state,
                             std::string& why) const;

  Watched& at(Rank rank) { return ranks_[static_cast<std::size_t>(rank - first_)]; }
  const Watched& at(Rank rank) const { return ranks_[static_cast<std::size_t>(rank - first_)]; }
  Rank rank_at(std::size_t place) const { return first_ + static_cast<Rank>(place); }

  std::vector<Watched> ranks_;
  Rank first_;
  std::int64_t stall_ns_;
  std::int64_t told_since_ns_ = 0;
  bool resumed_ = false;
  bool one_held_ = false;
};

/// "rank 2", "ranks 0, 1 and 3".
std::string name_ranks(const std::vector<Rank>& ranks);

}  // namespace ringside::agent
