// Counts received and lost records of a sender by their sequence numbers. Plain data.
#pragma once

#include <cstdint>

#include "protocol/messages/record_types.h"

namespace ringside::model {

struct SenderCounts {
  std::uint64_t received = 0;
  std::uint64_t lost = 0;      ///< missing numbers, and missing goodbyes
  std::uint64_t repeated = 0;  ///< numbers that came again or late
  std::uint64_t next_seq = 0;
};

/// Counts a record of one sender: gaps in its sequence numbers, with a rank's goodbye the records
/// produced but not received, and for the agent each goodbye that never came.
void count_record(SenderCounts& counts, std::uint64_t seq, const messages::Record& record);

}  // namespace ringside::model
