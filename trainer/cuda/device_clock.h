// Converts times of a device's clock to the host's. The offset between them lies between two
// bounds: each event, which happens between its recording and its observation on the host, narrows
// them, and elapsed time widens them, since clocks drift. Pure; one thread at a time.
#pragma once

#include <cstdint>

namespace ringside::cuda {

class DeviceClock {
 public:
  /// Assumed maximum relative drift. Quartz clocks differ by some 10 to 50 ppm.
  static constexpr double kDrift = 100e-6;

  /// Adds an event at `device_ns` of the device's clock, recorded at `recorded_ns` and seen
  /// complete at `seen_ns` of the host's. If it contradicts the bounds, it replaces them: a clock
  /// was set.
  void observe(std::int64_t device_ns, std::int64_t recorded_ns, std::int64_t seen_ns);
  /// Host time of a device time; valid after the first observation.
  std::int64_t to_host(std::int64_t device_ns) const;
  /// Uncertainty of to_host() for an event at `host_ns`.
  std::int64_t uncertainty_ns(std::int64_t host_ns) const;
  /// How much faster the device's clock runs than the host's since the first observation, in ppm;
  /// NaN until known to kDriftKnown_ppm.
  double drift_ppm() const;
  static constexpr double kDriftKnown_ppm = 10;

 private:
  static std::int64_t drift_in(std::int64_t span_ns);

  /// Bounds of host minus device, valid at a host time.
  struct Bounds {
    std::int64_t lowest_ns = 0;
    std::int64_t highest_ns = 0;
    std::int64_t at_ns = 0;
  };

  bool known_ = false;
  Bounds first_;  ///< since the last contradiction
  Bounds newest_;
};

}  // namespace ringside::cuda
