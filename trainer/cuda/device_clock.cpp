#include "trainer/cuda/device_clock.h"

#include <algorithm>

namespace ringside::cuda {

std::int64_t DeviceClock::drift_in(std::int64_t span_ns) {
  return static_cast<std::int64_t>(kDrift *
                                   static_cast<double>(std::max<std::int64_t>(span_ns, 0)));
}

void DeviceClock::observe(std::int64_t device_ns, std::int64_t recorded_ns, std::int64_t seen_ns) {
  // The event was at some moment between the two, and the bounds are to hold at the later one.
  const std::int64_t since = drift_in(seen_ns - recorded_ns);
  const std::int64_t lowest = recorded_ns - device_ns - since;
  const std::int64_t highest = seen_ns - device_ns + since;
  const std::int64_t wider = drift_in(seen_ns - at_ns_);
  const bool fits = known_ && lowest <= highest_ns_ + wider && highest >= lowest_ns_ - wider;
  lowest_ns_ = fits ? std::max(lowest_ns_ - wider, lowest) : lowest;
  highest_ns_ = fits ? std::min(highest_ns_ + wider, highest) : highest;
  at_ns_ = seen_ns;
  known_ = true;
}

std::int64_t DeviceClock::to_host(std::int64_t device_ns) const {
  return device_ns + lowest_ns_ + (highest_ns_ - lowest_ns_) / 2;
}

std::int64_t DeviceClock::uncertainty_ns(std::int64_t host_ns) const {
  const std::int64_t away = host_ns > at_ns_ ? host_ns - at_ns_ : at_ns_ - host_ns;
  return (highest_ns_ - lowest_ns_ + 1) / 2 + drift_in(away);
}

}  // namespace ringside::cuda
