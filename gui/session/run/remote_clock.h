// Estimates the monotonic clock of a machine that cannot be asked: the time of its newest record
// plus the time since that arrived. The estimate is behind by the delay of records, so that no rank
// is called silent too early. Plain data, used by one thread.
#pragma once

#include <cstdint>

namespace ringside::session {

class RemoteClock {
 public:
  /// `newest_ns`: time of the newest record so far. `here_ns`: now, on this machine's monotonic
  /// clock.
  std::int64_t now_ns(std::int64_t newest_ns, std::int64_t here_ns) {
    if (newest_ns != newest_ns_) {
      newest_ns_ = newest_ns;
      came_ns_ = here_ns;
    }
    return newest_ns_ + (here_ns - came_ns_);
  }

 private:
  std::int64_t newest_ns_ = -1;  ///< on the clock of the other machine
  std::int64_t came_ns_ = 0;     ///< on the clock of this machine
};

}  // namespace ringside::session
