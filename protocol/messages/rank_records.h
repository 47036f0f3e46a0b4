// How a rank started, changed state and ended, reported by the rank or its agent. Plain data;
// record_types.h describes the encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/messages/record_types.h"
#include "protocol/messages/states.h"

namespace ringside::messages {

/// First record of each attempt of a rank.
struct RankHello {
  static constexpr RecordType kType = RecordType::kRankHello;
  static constexpr std::string_view kName = "hello";
  static constexpr std::size_t kFieldsAtFirst = 17;  ///< older programs may post only these
  std::int32_t pid = 0;
  std::int32_t local_rank = 0;
  std::int32_t world_size = 1;
  std::int32_t attempt = 0;
  std::int32_t device_index = -1;  ///< index on this host as in nvidia-smi; -1: a CPU slot
  std::string device_uuid;         ///< "cpu" or the GPU's UUID
  std::string device_name;
  std::string host;
  std::string backend;   ///< "gloo", "nccl", "solo"
  std::string versions;  ///< "torch 2.11.0, ...", on one line
  std::int32_t threads = 0;
  std::int64_t wall_ns = 0;  ///< at the same moment as Stamp::mono_ns
  std::int64_t parameters = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t steps_per_epoch = 0;
  std::int64_t epochs = 0;
  std::int64_t first_step = 0;       ///< above 0 after a resume
  std::vector<std::int32_t> cpus;    ///< that this process may run on; empty: unknown
  std::int32_t loader_workers = -1;  ///< processes that load batches; -1: unknown

  RINGSIDE_FIELDS(pid, local_rank, world_size, attempt, device_index, device_uuid, device_name,
                  host, backend, versions, threads, wall_ns, parameters, gradient_bytes,
                  steps_per_epoch, epochs, first_step, cpus, loader_workers)
};

/// A change of state of a rank, or of the run if Stamp::rank is kNoRank. The run's last one says
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
  Rank about = kNoRank;  ///< the rank that this is about: set by the agent when it reports on a
                         ///< rank; equals Stamp::rank in reports of ranks themselves

  RINGSIDE_FIELDS(state, attempt, last_step, exit_code, signal, last_collective, text, wall_ns,
                  about)
  RINGSIDE_UNKNOWN(last_step, exit_code, signal, about)
};

/// Last record of a rank that ends cleanly. Unless produced = received + dropped, records were lost
/// in transit.
struct RankGoodbye {
  static constexpr RecordType kType = RecordType::kRankGoodbye;
  static constexpr std::string_view kName = "goodbye";
  std::int64_t produced = 0;     ///< records posted, this one included
  std::int64_t dropped = 0;      ///< records among these that were never sent, since the ring or
                                 ///< the queue was full
  std::int64_t post_max_ns = 0;  ///< longest single post, which delayed the training thread
  std::int64_t post_total_ns = 0;

  RINGSIDE_FIELDS(produced, dropped, post_max_ns, post_total_ns)
};

}  // namespace ringside::messages
