// Records that a run's model keeps unchanged, with their times. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/messages/event_records.h"
#include "protocol/messages/rank_records.h"

namespace ringside::model {

struct NoticeEntry {
  messages::Stamp stamp;
  messages::Notice notice;
  std::int32_t attempt = 0;  ///< attempt of the sender
};
inline constexpr std::size_t kKeptNotices = 4096;

struct CheckpointEntry {
  messages::Stamp stamp;
  messages::Checkpoint checkpoint;
};

struct StateChange {
  std::int64_t at_ns = 0;
  messages::RankState state;
  std::int64_t last_record_ns = 0;  ///< time of the newest record of any rank before it; 0: none
};

}  // namespace ringside::model
