// How a rank started, its changes of state and how it ended, reported by the rank or its agent.
// Plain data; how fields are encoded: record_types.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/messages/record_types.h"
#include "protocol/messages/states.h"

namespace ringside::messages {

/// First record of a rank's attempt.
struct RankHello {
  static constexpr RecordType kType = RecordType::kRankHello;
  static constexpr std::string_view kName = "hello";
  std::int32_t pid = 0;
  std::int32_t local_rank = 0;
  std::int32_t world_size = 1;
  std::int32_t attempt = 0;
  std::int32_t device_index = -1;  ///< on this host, as nvidia-smi counts; -1: a CPU slot
  std::string device_uuid;         ///< "cpu" or the GPU's UUID
  std::string device_name;
  std::string host;
  std::string backend;   ///< "gloo", "nccl", "solo"
  std::string versions;  ///< "torch 2.11.0, ..." as one line
  std::int32_t threads = 0;
  std::int64_t wall_ns = 0;  ///< at the same moment as Stamp::mono_ns
  std::int64_t parameters = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t steps_per_epoch = 0;
  std::int64_t epochs = 0;
  std::int64_t first_step = 0;  ///< above 0 after a resume

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("pid", r.pid);
    visit("local_rank", r.local_rank);
    visit("world_size", r.world_size);
    visit("attempt", r.attempt);
    visit("device_index", r.device_index);
    visit("device_uuid", r.device_uuid);
    visit("device_name", r.device_name);
    visit("host", r.host);
    visit("backend", r.backend);
    visit("versions", r.versions);
    visit("threads", r.threads);
    visit("wall_ns", r.wall_ns);
    visit("parameters", r.parameters);
    visit("gradient_bytes", r.gradient_bytes);
    visit("steps_per_epoch", r.steps_per_epoch);
    visit("epochs", r.epochs);
    visit("first_step", r.first_step);
  }
};

/// A change of state of a rank, or with Stamp::rank kNoRank of the run. The last one of the run is
/// how it ended. exit_code and signal are -1 unless the process has ended.
struct RankState {
  static constexpr RecordType kType = RecordType::kRankState;
  static constexpr std::string_view kName = "state";
  static constexpr bool kAgentMaySay = true;
  State state = State::kQueued;
  std::int32_t attempt = 0;
  Step last_step = -1;
  std::int32_t exit_code = -1;
  std::int32_t signal = -1;
  std::string last_collective;
  std::string text;  ///< one sentence for a person; may be empty
  std::int64_t wall_ns = 0;
  Rank about = kNoRank;  ///< set by the agent when it reports on a rank; equals Stamp::rank for
                         ///< ranks themselves

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("state", r.state);
    visit("attempt", r.attempt);
    visit("last_step", r.last_step);
    visit("exit_code", r.exit_code);
    visit("signal", r.signal);
    visit("last_collective", r.last_collective);
    visit("text", r.text);
    visit("wall_ns", r.wall_ns);
    visit("about", r.about);
  }
};

/// Last record of a rank that ends cleanly: produced = received + dropped, or something was lost
/// in between.
struct RankGoodbye {
  static constexpr RecordType kType = RecordType::kRankGoodbye;
  static constexpr std::string_view kName = "goodbye";
  std::int64_t produced = 0;     ///< records posted, this one included
  std::int64_t dropped = 0;      ///< of them, never sent because the ring or the queue was full
  std::int64_t post_max_ns = 0;  ///< the longest single post, cost to the training thread
  std::int64_t post_total_ns = 0;

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("produced", r.produced);
    visit("dropped", r.dropped);
    visit("post_max_ns", r.post_max_ns);
    visit("post_total_ns", r.post_total_ns);
  }
};

}  // namespace ringside::messages
