#include "trainer/cuda/device_clock.h"

#include <algorithm>
#include <limits>

namespace ringside::cuda {

std::int64_t DeviceClock::drift_in(std::int64_t span_ns) {
  return static_cast<std::int64_t>(kDrift *
                                   static_cast<double>(std::max<std::int64_t>(span_ns, 0)));
}

void DeviceClock::observe(std::int64_t device_ns, std::int64_t recorded_ns, std::int64_t seen_ns) {
  // The event happened between the two times; the bounds must be valid at the later one.
  const std::int64_t since = drift_in(seen_ns - recorded_ns);
  const std::int64_t lowest = recorded_ns - device_ns - since;
  const std::int64_t highest = seen_ns - device_ns + since;
  const std::int64_t wider = drift_in(seen_ns - newest_.at_ns);
  const bool fits =
      known_ && lowest <= newest_.highest_ns + wider && highest >= newest_.lowest_ns - wider;
  newest_.lowest_ns = fits ? std::max(newest_.lowest_ns - wider, lowest) : lowest;
  newest_.highest_ns = fits ? std::min(newest_.highest_ns + wider, highest) : highest;
  newest_.at_ns = seen_ns;
  if (!fits) first_ = newest_;
  known_ = true;
}

std::int64_t DeviceClock::to_host(std::int64_t device_ns) const {
  return device_ns + newest_.lowest_ns + (newest_.highest_ns - newest_.lowest_ns) / 2;
}

std::int64_t DeviceClock::uncertainty_ns(std::int64_t host_ns) const {
  const std::int64_t away =
      host_ns > newest_.at_ns ? host_ns - newest_.at_ns : newest_.at_ns - host_ns;
  return (newest_.highest_ns - newest_.lowest_ns + 1) / 2 + drift_in(away);
}

// If the device's clock is fast, the difference host minus device decreases.
double DeviceClock::drift_ppm() const {
  const auto span_ns = static_cast<double>(newest_.at_ns - first_.at_ns);
  const auto least = static_cast<double>(first_.lowest_ns - newest_.highest_ns);
  const auto most = static_cast<double>(first_.highest_ns - newest_.lowest_ns);
  const bool known = (most - least) / 2 * 1e6 <= kDriftKnown_ppm * span_ns && span_ns > 0;
  return known ? (least + most) / 2 / span_ns * 1e6 : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ringside::cuda
