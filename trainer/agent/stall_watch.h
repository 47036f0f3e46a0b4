// Notices ranks whose processes are stopped and ranks that have gone silent, and names the one the
// others probably wait for. Pure: times come in. One object per attempt, used by the agent's loop.
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
  /// Letter of /proc/PID/stat for a rank's process, '?' when not known.
  using ProcessState = std::function<char(Rank)>;

  /// `stall_ns`: allowed silence outside of training steps (loading, evaluating, saving).
  /// Ranks from `first_rank` on.
  StallWatch(std::int32_t ranks, std::int64_t stall_ns, Rank first_rank = 0);

  /// Every rank has been started and is expected to speak. Else each is watched from its first
  /// record on.
  void begin(std::int64_t now_ns);
  /// A rank that is in training still and names the collective it has entered does not go on: it
  /// says where it waits.
  void on_state(Rank rank, messages::State state, std::int64_t now_ns,
                const std::string& last_collective = {});
  void on_step(Rank rank, Step step, std::int64_t step_ns, std::int64_t now_ns);
  /// Watches so many ranks from now on, each from its first record on.
  void adopt(std::int32_t ranks) {
    ranks_.resize(std::max(ranks_.size(), static_cast<std::size_t>(ranks)));
  }
  /// The rank has ended, or sent its RankGoodbye: nothing more is expected.
  void on_end(Rank rank);

  /// A warning when ranks are silent for longer than silence_limit_ns() in training, or stall_ns
  /// elsewhere; an information when they continue. Each silence is reported once. Whatever a rank
  /// does, and before it has said anything: a warning at once when its process is stopped, or has
  /// been held by a debugger for kLeastSilenceNs. While that lasts nobody is silent, as all may
  /// wait for it. To be called about once a second, and at next_check_ns().
  std::optional<messages::Notice> check(std::int64_t now_ns, const ProcessState& process_state);

  /// A rank that was reported has not continued.
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
    std::int64_t stopped_ns = 0;  // when its process was first seen not to run; 0: it runs
    bool held = false;            // that was told
    Step step = -1;
    std::int64_t heard_ns = 0;
    std::string collective;                     // entered after its newest step, where it said so
    std::vector<std::int64_t> recent_steps_ns;  // a ring of the newest
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
