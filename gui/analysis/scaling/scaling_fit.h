// Laws that the times of one series are held against, and what they say of the next point: Amdahl's
// (serial share + share that N devices divide) and the same with an exchange that grows with N.
// Weighted linear least squares with intervals of 95 %. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ringside::analysis {

/// Mean time of a number of devices; the baseline is the point at 1.
struct TimedPoint {
  double devices = 1;
  double seconds = 0;
};

struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

enum class Law : std::uint8_t {
  kAmdahl,  ///< T = serial + work / N
  /// T = serial + work / N + exchange, where the steps are as many on any N (strong): a ring's
  /// N - 1 latencies; where they are 1 / N of them (weak): its transfer (N - 1) / N of each.
  kExchange,
};

struct ScalingFit {
  Law law = Law::kAmdahl;
  Interval serial_share;    ///< of the curve's time on one device
  Interval exchange_share;  ///< of that time, per unit of the exchange; kExchange only
  double worst = 0;         ///< largest relative distance of a point from the curve
  double next_devices = 0;
  Interval next_seconds;
  Interval next_speedup;  ///< against the time that was measured on one device
  double seconds_at(double devices) const;

  bool strong = false;
  std::vector<double> terms;  ///< coefficients: serial, work, exchange
};

/// Fewer points than this say nothing.
inline constexpr std::size_t kLeastFitPoints = 4;

/// Nothing below four different numbers of devices, one of them 1. A share that would be negative
/// is 0. `next_devices`: what is predicted.
std::optional<ScalingFit> fit_scaling(std::span<const TimedPoint> points, Law law, bool strong,
                                      double next_devices);

}  // namespace ringside::analysis
