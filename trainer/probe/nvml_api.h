// NVIDIA's management library (NVML) as a table of functions loaded at run time: no header, no
// linking, no GPU needed. Prototypes and numbers are those of NVML's public interface. Any call may
// hang in the driver, so only the agent's sampler thread and the one-shot inventory make them. A
// table lives until the process ends.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/base/result.h"

namespace ringside::probe {

using NvmlDevice = struct NvmlDeviceOpaque*;
using NvmlEventSet = struct NvmlEventSetOpaque*;
using NvmlReturn = int;
inline constexpr NvmlReturn kNvmlSuccess = 0;
inline constexpr NvmlReturn kNvmlGpuIsLost = 15;

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct NvmlMemoryV2 {
  unsigned version;  ///< kNvmlMemoryV2
  unsigned long long total;
  unsigned long long reserved;  ///< for driver and firmware; version 1 counts it as used
  unsigned long long free;
  unsigned long long used;
};

struct NvmlUtilization {
  unsigned gpu;
  unsigned memory;
};

struct NvmlPciInfo {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pci_device_id;
  unsigned pci_subsystem_id;
  char bus_id[32];
};

union NvmlValue {
  double as_double;
  unsigned as_uint;
  unsigned long long as_ull;
};

struct NvmlFieldValue {
  unsigned field_id;
  unsigned scope_id;
  long long timestamp;
  long long latency_us;
  int value_type;
  NvmlReturn result;
  NvmlValue value;
};

struct NvmlProcess {  ///< nvmlProcessInfo_t of the _v3 functions
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

struct NvmlEvent {  ///< nvmlEventData_t
  NvmlDevice device;
  unsigned long long type;
  unsigned long long data;  ///< for an XID event its number
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

inline constexpr unsigned kNvmlMemoryV2 = sizeof(NvmlMemoryV2) | 2U << 24;
inline constexpr int kNvmlTemperatureGpu = 0;
inline constexpr int kNvmlClockSm = 1;
inline constexpr int kNvmlClockMemory = 2;
inline constexpr int kNvmlEccUncorrected = 1;
inline constexpr int kNvmlEccVolatile = 0;  ///< counted since the driver was loaded
inline constexpr unsigned long long kNvmlEventXid = 8;
inline constexpr int kNvmlPcieTx = 0;
inline constexpr int kNvmlPcieRx = 1;
inline constexpr unsigned kNvmlFieldLinkDataTx =
    138;  ///< NVLink payload sent, KiB since the driver was loaded
inline constexpr unsigned kNvmlFieldLinkDataRx = 139;
inline constexpr unsigned kNvmlAllLinks = 0xffffffffU;  ///< scope: sum over all links
inline constexpr unsigned kNvmlMaxLinks = 18;

/// Required functions are never null in a loaded table; the others are null with drivers that lack
/// them.
struct NvmlApi {
  // required
  NvmlReturn (*init)() = nullptr;
  NvmlReturn (*device_count)(unsigned*) = nullptr;
  NvmlReturn (*device_by_index)(unsigned, NvmlDevice*) = nullptr;
  NvmlReturn (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  NvmlReturn (*name)(NvmlDevice, char*, unsigned) = nullptr;
  // optional
  const char* (*error_text)(NvmlReturn) = nullptr;
  NvmlReturn (*driver_version)(char*, unsigned) = nullptr;
  NvmlReturn (*cuda_version)(int*) = nullptr;
  NvmlReturn (*capability)(NvmlDevice, int* major, int* minor) = nullptr;
  NvmlReturn (*pci_info)(NvmlDevice, NvmlPciInfo*) = nullptr;
  NvmlReturn (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  NvmlReturn (*memory_v2)(NvmlDevice, NvmlMemoryV2*) = nullptr;
  NvmlReturn (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  NvmlReturn (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  NvmlReturn (*power_mw)(NvmlDevice, unsigned*) = nullptr;
  NvmlReturn (*clock_mhz)(NvmlDevice, int, unsigned*) = nullptr;
  NvmlReturn (*throttle_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  NvmlReturn (*pcie_kb_per_s)(NvmlDevice, int, unsigned*) = nullptr;
  NvmlReturn (*field_values)(NvmlDevice, int, NvmlFieldValue*) = nullptr;
  NvmlReturn (*common_ancestor)(NvmlDevice, NvmlDevice, int*) = nullptr;
  NvmlReturn (*link_state)(NvmlDevice, unsigned, unsigned*) = nullptr;
  NvmlReturn (*link_remote_pci)(NvmlDevice, unsigned, NvmlPciInfo*) = nullptr;
  NvmlReturn (*mig_mode)(NvmlDevice, unsigned* current, unsigned* pending) = nullptr;
  NvmlReturn (*mig_most)(NvmlDevice, unsigned* count) = nullptr;
  NvmlReturn (*mig_by_index)(NvmlDevice, unsigned, NvmlDevice*) = nullptr;
  NvmlReturn (*compute_processes)(NvmlDevice, unsigned*, NvmlProcess*) = nullptr;
  NvmlReturn (*ecc_errors)(NvmlDevice, int kind, int since, unsigned long long*) = nullptr;
  NvmlReturn (*remapped_rows)(NvmlDevice, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) = nullptr;
  /// For GPUs without row remapping.
  NvmlReturn (*retired_pending)(NvmlDevice, unsigned*) = nullptr;
  NvmlReturn (*event_set_create)(NvmlEventSet*) = nullptr;
  NvmlReturn (*event_set_free)(NvmlEventSet) = nullptr;
  NvmlReturn (*register_events)(NvmlDevice, unsigned long long types, NvmlEventSet) = nullptr;
  NvmlReturn (*event_wait)(NvmlEventSet, NvmlEvent*, unsigned most_ms) = nullptr;

  std::string explain(NvmlReturn code) const;
};

/// Loads and initialises NVML. The error has the reason if there is no driver.
Result<NvmlApi> load_nvml(const char* library = "libnvidia-ml.so.1");

}  // namespace ringside::probe
