// How far the monotonic clock of node 0 is from that of this node, by round trips: the shortest of
// the newest ones counts, and half of it is what may be wrong. Pure. Source of the estimate: NTP,
// RFC 5905 section 8, without its filter.
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

  /// A record when one is due: once there are enough round trips, then each minute, and sooner when
  /// the clocks have gone apart by more than was thought possible.
  std::optional<messages::ClockSync> due(std::int64_t now_ns);
  /// There was one.
  bool known() const { return told_.has_value(); }

 private:
  struct Trip {
    std::int64_t offset_ns = 0;
    std::int64_t uncertainty_ns = 0;
  };
  const Trip* best() const;

  std::deque<Trip> trips_;
  std::optional<Trip> told_;
  std::int64_t told_ns_ = 0;
};

}  // namespace ringside::agent
