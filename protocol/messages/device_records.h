// Samples of accelerators and hosts, taken by the agent of each node. Plain data; record_types.h
// describes the encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/messages/record_types.h"

namespace ringside::messages {

/// The measured fields of a DeviceSample, in its order. The values are bit numbers in the wire
/// format: append only.
enum class DeviceField : std::uint32_t {
  kUtilisation,
  kMemoryUsed,
  kMemoryTotal,
  kTemperature,
  kPower,
  kSmClock,
  kMemoryClock,
  kThrottle,
  kPcieRx,
  kPcieTx,
  kLinkRx,
  kLinkTx,
};

/// The bit of a field in DeviceSample::valid.
constexpr std::uint32_t bit_of(DeviceField field) {
  return std::uint32_t{1} << static_cast<std::uint32_t>(field);
}

/// One sample of one accelerator. A field whose bit in `valid` is not set is unknown.
struct DeviceSample {
  static constexpr RecordType kType = RecordType::kDeviceSample;
  static constexpr std::string_view kName = "device";
  static constexpr bool kAgentMaySay = true;
  std::int32_t device_index = 0;
  std::string device_uuid;
  std::uint32_t valid = 0;
  float utilisation_pct = 0;
  std::int64_t memory_used_bytes = 0;
  std::int64_t memory_total_bytes = 0;
  float temperature_c = 0;
  float power_w = 0;
  float sm_clock_mhz = 0;
  float memory_clock_mhz = 0;
  std::uint64_t throttle_reasons = 0;  ///< NVML's bit mask
  double pcie_rx_bytes_per_s = 0;
  double pcie_tx_bytes_per_s = 0;
  double link_rx_bytes_per_s = 0;
  double link_tx_bytes_per_s = 0;

  /// Calls visit(field, name, value) for each measured field, in the order of DeviceField.
  template <class Self, class Visit>
  static void measured(Self& r, Visit&& visit) {
    visit(DeviceField::kUtilisation, "utilisation_pct", r.utilisation_pct);
    visit(DeviceField::kMemoryUsed, "memory_used_bytes", r.memory_used_bytes);
    visit(DeviceField::kMemoryTotal, "memory_total_bytes", r.memory_total_bytes);
    visit(DeviceField::kTemperature, "temperature_c", r.temperature_c);
    visit(DeviceField::kPower, "power_w", r.power_w);
    visit(DeviceField::kSmClock, "sm_clock_mhz", r.sm_clock_mhz);
    visit(DeviceField::kMemoryClock, "memory_clock_mhz", r.memory_clock_mhz);
    visit(DeviceField::kThrottle, "throttle_reasons", r.throttle_reasons);
    visit(DeviceField::kPcieRx, "pcie_rx_bytes_per_s", r.pcie_rx_bytes_per_s);
    visit(DeviceField::kPcieTx, "pcie_tx_bytes_per_s", r.pcie_tx_bytes_per_s);
    visit(DeviceField::kLinkRx, "link_rx_bytes_per_s", r.link_rx_bytes_per_s);
    visit(DeviceField::kLinkTx, "link_tx_bytes_per_s", r.link_tx_bytes_per_s);
  }
  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("device_index", r.device_index);
    visit("device_uuid", r.device_uuid);
    visit("valid", r.valid);
    measured(r, [&](DeviceField, std::string_view name, auto& value) { visit(name, value); });
  }
};

inline bool is_valid(const DeviceSample& sample, DeviceField field) {
  return (sample.valid & bit_of(field)) != 0;
}

/// One sample of a host. -1 (or NaN): unknown.
struct HostSample {
  static constexpr RecordType kType = RecordType::kHostSample;
  static constexpr std::string_view kName = "host";
  static constexpr bool kAgentMaySay = true;
  float cpu_pct = kUnknownF;  ///< over all cores, 0 .. 100
  std::int64_t memory_used_bytes = -1;
  std::int64_t memory_total_bytes = -1;
  std::int64_t disk_free_bytes = -1;              ///< on the file system of the run folder
  std::vector<std::int64_t> rank_resident_bytes;  ///< by local rank; -1: the process is gone
  std::vector<float> rank_cpu_pct;                ///< by local rank; 100 = one core
  std::int32_t cpus = -1;                         ///< processors that cpu_pct is averaged over
  float viewer_cpu_pct = kUnknownF;               ///< viewers of runs; 100 = one core

  RINGSIDE_FIELDS(cpu_pct, memory_used_bytes, memory_total_bytes, disk_free_bytes,
                  rank_resident_bytes, rank_cpu_pct, cpus, viewer_cpu_pct)
  RINGSIDE_UNKNOWN(cpu_pct, memory_used_bytes, memory_total_bytes, disk_free_bytes,
                   rank_resident_bytes, rank_cpu_pct, cpus, viewer_cpu_pct)
};

/// How two accelerators of a node are connected; reported once by its agent.
struct DeviceLink {
  static constexpr RecordType kType = RecordType::kDeviceLink;
  static constexpr std::string_view kName = "device_link";
  static constexpr bool kAgentMaySay = true;
  std::string from_uuid;
  std::string to_uuid;
  std::string link;  ///< as in `nvidia-smi topo -m`: "NV4", "PIX", "SYS"; "?": unknown

  RINGSIDE_FIELDS(from_uuid, to_uuid, link)
};

}  // namespace ringside::messages
