// Laws that are fitted to the times of one series, and their prediction for the next point:
// Amdahl's (serial share + share divided by N devices) and the same with an exchange that grows
// with N. Weighted linear least squares with 95 % intervals. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ringside::analysis {

/// Mean time for a number of devices; the baseline is the point at 1.
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
  /// T = serial + work / N + exchange. With equal steps for any N (strong), the exchange is a
  /// ring's N - 1 latencies; with 1 / N of the steps (weak), its transfer of (N - 1) / N in each.
  kExchange,
};

struct ScalingFit {
  Law law = Law::kAmdahl;
  Interval serial_share;    ///< of the fitted time on one device
  Interval exchange_share;  ///< of that time, per unit of the exchange; only for kExchange
  double worst = 0;         ///< largest relative distance of a point from the curve
  double next_devices = 0;
  Interval next_seconds;
  Interval next_speedup;  ///< relative to the measured time on one device
  double seconds_at(double devices) const;

  bool strong = false;
  std::vector<double> terms;  ///< coefficients: serial, work, exchange
};

/// Minimum number of points for a fit.
inline constexpr std::size_t kLeastFitPoints = 4;

/// Nothing with fewer than four different numbers of devices, one of them 1. A share that would be
/// negative is 0. `next_devices`: number of devices of the prediction.
std::optional<ScalingFit> fit_scaling(std::span<const TimedPoint> points, Law law, bool strong,
                                      double next_devices);

}  // namespace ringside::analysis
