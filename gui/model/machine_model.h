// The devices and hosts of a run: their newest sample, and some of its values over time. Written
// only by RunModel. One thread.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/messages/device_records.h"

namespace ringside::model {

struct Sample {
  std::int64_t at_ns = 0;  ///< time of the newest value in it
  float value = 0;         ///< mean
};

/// Occasional samples (utilisation, memory, temperature) over the whole run in bounded memory: when
/// it is full, neighbours are merged into their mean, and later samples are collected over twice
/// the time.
class SampleHistory {
 public:
  static constexpr std::size_t kKept = 1024;

  /// Adds a value; values that are not finite are ignored.
  void add(std::int64_t at_ns, double value) {
    if (!std::isfinite(value)) return;
    sum_ += value;
    if (++gathered_ < every_) return;
    samples_.push_back({at_ns, static_cast<float>(sum_ / static_cast<double>(gathered_))});
    sum_ = 0;
    gathered_ = 0;
    if (samples_.size() >= kKept) halve();
  }
  std::span<const Sample> samples() const { return samples_; }

 private:
  void halve() {
    for (std::size_t i = 0; i < samples_.size() / 2; ++i) {
      const Sample& a = samples_[2 * i];
      const Sample& b = samples_[2 * i + 1];
      samples_[i] = {b.at_ns, (a.value + b.value) * 0.5F};
    }
    samples_.resize(samples_.size() / 2);
    every_ *= 2;
  }

  std::vector<Sample> samples_;
  double sum_ = 0;
  std::size_t gathered_ = 0;
  std::size_t every_ = 1;  ///< number of samples in each stored one
};

/// Values of a device that are kept over time: %, bytes, °C, W, bytes per second in both directions
/// together, and MHz.
enum class DeviceMetric : std::uint8_t {
  kUtilisation,
  kMemory,
  kTemperature,
  kPower,
  kPcie,
  kLink,
  kClock,
  kCount
};
inline constexpr std::size_t kDeviceMetrics = static_cast<std::size_t>(DeviceMetric::kCount);

/// Bits of NVML's mask that mean that a device is slowed down by heat or lack of power. Excluded
/// are idle, clocks that somebody set, and the power cap, which a busy device may run at all day.
inline constexpr std::uint64_t kSlowingReasons = 0x8 | 0x20 | 0x40 | 0x80;

struct DeviceModel {
  Node node = 0;
  messages::DeviceSample latest;
  std::int64_t at_ns = 0;
  /// Start of the samples that all have one of kSlowingReasons; 0: not slowed now.
  std::int64_t slowed_since_ns = 0;
  std::int64_t throttle_samples = 0;  ///< number of samples with throttle reasons
  std::int64_t slowed_readings = 0;   ///< number of these with one of kSlowingReasons
  std::int64_t peak_memory_bytes = 0;
  /// Energy used between samples that have power readings and follow each other closely.
  double energy_j = 0;
  double energy_s = 0;  ///< total time between these
  std::array<SampleHistory, kDeviceMetrics> history;

  const SampleHistory& over_time(DeviceMetric metric) const {
    return history[static_cast<std::size_t>(metric)];
  }
};

struct HostModel {
  messages::HostSample latest;
  std::int64_t at_ns = 0;
  SampleHistory cpu;                       ///< % of all cores
  SampleHistory memory;                    ///< bytes in use
  SampleHistory viewer_cpu;                ///< % of one core
  std::vector<SampleHistory> rank_cpu;     ///< by local rank; % of one core
  std::vector<SampleHistory> rank_memory;  ///< by local rank; resident bytes
};
inline constexpr std::size_t kMostLocalRanks = 1024;

}  // namespace ringside::model
