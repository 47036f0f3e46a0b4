// How far the monotonic clock of node 0 is from that of this node, by round trips. Half of a trip
// may be wrong, and by its age the drift of two clocks more; the one whose sum is least counts
// among the newest trips. Pure. Source of the estimate: NTP, RFC 5905 sections 8 and 10 (offset,
// delay and dispersion), without its filter.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "protocol/messages/event_records.h"

namespace ringside::agent {

class NodeClock {
 public:
  /// A round trip: sent and received by this clock, answered by that of node 0.
  void add(std::int64_t sent_ns, std::int64_t answered_ns, std::int64_t received_ns);

  /// A record as of now when one is due: once there are enough round trips, then each minute, and
  /// sooner when it is twice as certain as what the last one has become with its age, or when the
  /// clocks have gone apart by more than was thought possible.
  std::optional<messages::ClockSync> due(std::int64_t now_ns);
  /// There was one.
  bool known() const { return told_.has_value(); }

 private:
  struct Trip {
    std::int64_t since_ns = 0;  ///< when it began
    std::int64_t offset_ns = 0;
    std::int64_t uncertainty_ns = 0;  ///< then
    std::int64_t uncertainty_at(std::int64_t at_ns) const;
  };
  /// The best trip; there is at least one.
  const Trip& best(std::int64_t now_ns) const;

  std::deque<Trip> trips_;
  std::optional<Trip> told_;  ///< as of when it was told
};

}  // namespace ringside::agent
