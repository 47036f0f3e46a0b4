// What is known of the devices and hosts of a run: their newest sample, and some of it over time.
// Filled by RunModel only; everybody else reads. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gui/model/sample_history.h"
#include "protocol/base/ids.h"
#include "protocol/messages/device_records.h"

namespace ringside::model {

/// What is kept of a device over time: %, bytes, °C, W, bytes per second both ways together, and
/// MHz.
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

/// Bits of NVML's mask that mean a device runs slower than it could because it is too hot or short
/// of power. Not among them: idle, clocks that somebody set, and the power cap, at which a busy
/// device runs all day.
inline constexpr std::uint64_t kSlowingReasons = 0x8 | 0x20 | 0x40 | 0x80;

struct DeviceModel {
  Node node = 0;
  messages::DeviceSample latest;
  std::int64_t at_ns = 0;
  std::int64_t slowed_since_ns = 0;  ///< by kSlowingReasons in every sample since; 0: not now
  std::int64_t told_slowing = 0;     ///< samples that have throttle reasons
  std::int64_t slowed_readings = 0;  ///< the samples among these with one of kSlowingReasons
  std::int64_t peak_memory_bytes = 0;
  double energy_j = 0;  ///< drawn between samples that tell of power and follow each other closely
  double energy_s = 0;  ///< the time between these
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
