// How many records of a sender came and how many did not, by their sequence numbers. Plain data.
#pragma once

#include <cstdint>

#include "protocol/messages/record_types.h"

namespace ringside::model {

/// Records of one sender, counted by their sequence numbers.
struct SenderCounts {
  std::uint64_t received = 0;
  std::uint64_t lost = 0;      ///< numbers that never came, and goodbyes
  std::uint64_t repeated = 0;  ///< numbers that came again or late
  std::uint64_t next_seq = 0;
};

/// Counts a record of one sender: what is missing between its numbers, with the goodbye of a rank
/// what it produced beyond what came, and for the agent each goodbye that never came.
void count_record(SenderCounts& counts, std::uint64_t seq, const messages::Record& record);

}  // namespace ringside::model
