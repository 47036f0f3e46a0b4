// What the clock of a device shows against the host's. The device's is behind by an offset that
// lies between two bounds: every event that the host asked for and saw done narrows them, and time
// widens them, since no two quartzes run alike. Pure; one thread at a time.
#pragma once

#include <cstdint>

namespace ringside::cuda {

class DeviceClock {
 public:
  /// How fast two clocks part, of 1. Quartzes differ by some 10 to 50 ppm.
  static constexpr double kDrift = 100e-6;

  /// An event at `device_ns` of the device's clock, asked for at `recorded_ns` of the host's and
  /// seen done at `seen_ns`. What contradicts the bounds replaces them: a clock was set.
  void observe(std::int64_t device_ns, std::int64_t recorded_ns, std::int64_t seen_ns);
  /// The host's time of a moment of the device, after the first observation.
  std::int64_t to_host(std::int64_t device_ns) const;
  /// How wrong to_host() may be of a moment at `host_ns`.
  std::int64_t uncertainty_ns(std::int64_t host_ns) const;
  /// The millionths by which the device's clock runs faster than the host's, since the first
  /// observation; NaN until that is known to kDriftKnown_ppm.
  double drift_ppm() const;
  static constexpr double kDriftKnown_ppm = 10;

 private:
  static std::int64_t drift_in(std::int64_t span_ns);

  /// Bounds of host minus device, at a moment of the host.
  struct Bounds {
    std::int64_t lowest_ns = 0;
    std::int64_t highest_ns = 0;
    std::int64_t at_ns = 0;
  };

  bool known_ = false;
  Bounds first_;  ///< of all that fit together
  Bounds newest_;
};

}  // namespace ringside::cuda
