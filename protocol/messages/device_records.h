// Readings of accelerators and hosts, taken by the agent of a node. Plain data; how fields are
// encoded: record_types.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/messages/record_types.h"

namespace ringside::messages {

/// One reading of one accelerator. Bit i of `valid` belongs to the i-th measured field below, in
/// order, from utilisation_pct = bit 0; a field without its bit is not known.
struct DeviceSample {
  static constexpr RecordType kType = RecordType::kDeviceSample;
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

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("device_index", r.device_index);
    visit("device_uuid", r.device_uuid);
    visit("valid", r.valid);
    visit("utilisation_pct", r.utilisation_pct);
    visit("memory_used_bytes", r.memory_used_bytes);
    visit("memory_total_bytes", r.memory_total_bytes);
    visit("temperature_c", r.temperature_c);
    visit("power_w", r.power_w);
    visit("sm_clock_mhz", r.sm_clock_mhz);
    visit("memory_clock_mhz", r.memory_clock_mhz);
    visit("throttle_reasons", r.throttle_reasons);
    visit("pcie_rx_bytes_per_s", r.pcie_rx_bytes_per_s);
    visit("pcie_tx_bytes_per_s", r.pcie_tx_bytes_per_s);
    visit("link_rx_bytes_per_s", r.link_rx_bytes_per_s);
    visit("link_tx_bytes_per_s", r.link_tx_bytes_per_s);
  }
};

/// One reading of a host. -1 (or NaN) = not known.
struct HostSample {
  static constexpr RecordType kType = RecordType::kHostSample;
  float cpu_pct = kUnknownF;  ///< of all cores together, 0 .. 100
  std::int64_t memory_used_bytes = -1;
  std::int64_t memory_total_bytes = -1;
  std::int64_t disk_free_bytes = -1;              ///< where the run folder lies
  std::vector<std::int64_t> rank_resident_bytes;  ///< by local rank; -1 = gone
  std::vector<float> rank_cpu_pct;                ///< by local rank; 100 = one core

  template <class Self, class Visit>
  static void fields(Self& r, Visit&& visit) {
    visit("cpu_pct", r.cpu_pct);
    visit("memory_used_bytes", r.memory_used_bytes);
    visit("memory_total_bytes", r.memory_total_bytes);
    visit("disk_free_bytes", r.disk_free_bytes);
    visit("rank_resident_bytes", r.rank_resident_bytes);
    visit("rank_cpu_pct", r.rank_cpu_pct);
  }
};

}  // namespace ringside::messages
