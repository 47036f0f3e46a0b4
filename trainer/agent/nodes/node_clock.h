// Estimates the offset of node 0's monotonic clock from this node's by round trips. The uncertainty
// of a trip is half its duration, plus the drift of two clocks over its age; the recent trip with
// the smallest uncertainty is used. Pure. Source: NTP, RFC 5905 sections 8 and 10 (offset, delay
// and dispersion), without its filter.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "protocol/messages/event_records.h"

namespace ringside::agent {

class NodeClock {
 public:
  /// Adds a round trip: sent and received times of this clock, reply time of node 0's clock.
  void add(std::int64_t sent_ns, std::int64_t answered_ns, std::int64_t received_ns);

  /// A record as of now if one is due: when there are enough round trips, then once a minute;
  /// earlier when its uncertainty is half of what the last record's has become, or when the clocks
  /// have drifted apart by more than the assumed maximum.
  std::optional<messages::ClockSync> due(std::int64_t now_ns);
  bool known() const { return told_.has_value(); }

 private:
  struct Trip {
    std::int64_t since_ns = 0;  ///< start of the trip
    std::int64_t offset_ns = 0;
    std::int64_t uncertainty_ns = 0;  ///< at that time
    std::int64_t uncertainty_at(std::int64_t at_ns) const;
  };
  /// The trip with the smallest uncertainty; there must be at least one.
  const Trip& best(std::int64_t now_ns) const;

  std::deque<Trip> trips_;
  std::optional<Trip> told_;  ///< the trip in the last record, as of that time
};

}  // namespace ringside::agent
