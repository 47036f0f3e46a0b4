// An NVML table over a few fake GPUs, for tests of code that uses the table. The GPUs are one
// global list, because NVML's functions have no context argument: one test at a time, one thread.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "trainer/probe/nvml_api.h"

namespace ringside::fake_nvml {

struct Gpu {
  std::string uuid;
  std::string name = "Fake GPU";
  std::string bus_id;
  unsigned long long used_bytes = 1ULL << 30;
  unsigned long long reserved_bytes = 0;  ///< by the driver; version 1 counts it as used
  unsigned long long total_bytes = 80ULL << 30;
  unsigned utilisation = 50;
  int capability_minor = 0;  ///< of 8.x; below 0: the driver returns "not supported"
  unsigned long long link_tx_kib = 0;
  unsigned long long link_rx_kib = 0;
  bool has_power = true;                 ///< false: the driver returns "not supported"
  std::vector<std::string> nvlink_ends;  ///< bus id at the far end of each active link; "": unknown
  std::vector<probe::NvmlProcess> processes;
  unsigned long long ecc_errors = 0;  ///< uncorrectable errors
  unsigned rows_pending = 0;          ///< to be remapped at the next reset
  unsigned rows_failed = 0;
  bool lost = false;                     ///< fell off the bus
  std::vector<unsigned long long> xids;  ///< not delivered yet
  std::vector<Gpu> instances;            ///< MIG instances of the GPU
};

inline std::vector<Gpu>& gpus() {
  static std::vector<Gpu> list;
  return list;
}

inline constexpr int kNotSupported = 3;
inline constexpr int kNotFound = 6;
inline constexpr int kTimeout = 10;
inline constexpr int kVersionMismatch = 25;

/// A handle is the GPU's number, from 1 on, plus 256 times the instance's number, from 1 on.
inline probe::NvmlDevice handle(std::size_t gpu, std::size_t instance = 0) {
  return reinterpret_cast<probe::NvmlDevice>(gpu + 256 * instance);
}
inline Gpu& of(probe::NvmlDevice device) {
  const auto number = reinterpret_cast<std::size_t>(device);
  Gpu& gpu = gpus()[number % 256 - 1];
  return number < 256 ? gpu : gpu.instances[number / 256 - 1];
}

inline int put(const std::string& text, char* into, unsigned room) {
  if (text.size() + 1 > room) return 7;
  std::memcpy(into, text.c_str(), text.size() + 1);
  return probe::kNvmlSuccess;
}

inline int read_fields(probe::NvmlDevice device, int count, probe::NvmlFieldValue* values) {
  for (int i = 0; i < count; ++i) {
    const bool tx = values[i].field_id == probe::kNvmlFieldLinkDataTx;
    values[i].value.as_ull = tx ? of(device).link_tx_kib : of(device).link_rx_kib;
    values[i].result = of(device).nvlink_ends.empty() ? kNotSupported : probe::kNvmlSuccess;
  }
  return probe::kNvmlSuccess;
}

/// Delivers the next XID event of any GPU.
inline int next_event(probe::NvmlEventSet, probe::NvmlEvent* event, unsigned) {
  for (std::size_t i = 0; i < gpus().size(); ++i) {
    if (gpus()[i].xids.empty()) continue;
    *event = {handle(i + 1), probe::kNvmlEventXid, gpus()[i].xids.front(), 0, 0};
    gpus()[i].xids.erase(gpus()[i].xids.begin());
    return probe::kNvmlSuccess;
  }
  return kTimeout;
}

inline void add_health(probe::NvmlApi& api) {
  using probe::NvmlDevice;
  api.temperature = [](NvmlDevice device, int, unsigned*) {
    return of(device).lost ? probe::kNvmlGpuIsLost : kNotSupported;
  };
  api.ecc_errors = [](NvmlDevice device, int, int, unsigned long long* count) {
    *count = of(device).ecc_errors;
    return 0;
  };
  api.remapped_rows = [](NvmlDevice device, unsigned*, unsigned*, unsigned* pending,
                         unsigned* failed) {
    *pending = of(device).rows_pending;
    *failed = of(device).rows_failed;
    return 0;
  };
  api.event_set_create = [](probe::NvmlEventSet* set) {
    static int any = 0;
    *set = reinterpret_cast<probe::NvmlEventSet>(&any);
    return 0;
  };
  api.event_set_free = [](probe::NvmlEventSet) { return 0; };
  api.register_events = [](NvmlDevice, unsigned long long, probe::NvmlEventSet) { return 0; };
  api.event_wait = next_event;
}

inline int read_processes(probe::NvmlDevice device, unsigned* count, probe::NvmlProcess* into) {
  const auto& list = of(device).processes;
  if (list.size() > *count) return 7;
  std::copy(list.begin(), list.end(), into);
  *count = static_cast<unsigned>(list.size());
  return probe::kNvmlSuccess;
}

/// Returns the table. Assign gpus() first.
inline probe::NvmlApi api() {
  using probe::NvmlDevice;
  probe::NvmlApi api;
  api.init = [] { return 0; };
  api.device_count = [](unsigned* count) {
    *count = static_cast<unsigned>(gpus().size());
    return 0;
  };
  api.device_by_index = [](unsigned index, NvmlDevice* device) {
    *device = handle(index + 1);
    return 0;
  };
  api.uuid = [](NvmlDevice device, char* into, unsigned room) {
    return put(of(device).uuid, into, room);
  };
  api.name = [](NvmlDevice device, char* into, unsigned room) {
    return put(of(device).name, into, room);
  };
  api.driver_version = [](char* into, unsigned room) { return put("580.1", into, room); };
  api.cuda_version = [](int* version) {
    *version = 13010;
    return 0;
  };
  api.capability = [](NvmlDevice device, int* major, int* minor) {
    *major = 8;
    *minor = of(device).capability_minor;
    return *minor < 0 ? kNotSupported : 0;
  };
  api.pci_info = [](NvmlDevice device, probe::NvmlPciInfo* info) {
    return put(of(device).bus_id, info->bus_id, sizeof info->bus_id);
  };
  api.memory = [](NvmlDevice device, probe::NvmlMemory* memory) {
    const Gpu& gpu = of(device);
    const auto used = gpu.used_bytes + gpu.reserved_bytes;
    *memory = {gpu.total_bytes, gpu.total_bytes - used, used};
    return 0;
  };
  api.memory_v2 = [](NvmlDevice device, probe::NvmlMemoryV2* memory) {
    const Gpu& gpu = of(device);
    if (memory->version != (40U | 2U << 24U)) return kVersionMismatch;
    *memory = {memory->version, gpu.total_bytes, gpu.reserved_bytes,
               gpu.total_bytes - gpu.used_bytes - gpu.reserved_bytes, gpu.used_bytes};
    return 0;
  };
  api.utilization = [](NvmlDevice device, probe::NvmlUtilization* rates) {
    *rates = {of(device).utilisation, 0};
    return 0;
  };
  api.power_mw = [](NvmlDevice device, unsigned* milliwatts) {
    *milliwatts = 350500;
    return of(device).has_power ? 0 : kNotSupported;
  };
  api.clock_mhz = [](NvmlDevice, int which, unsigned* mhz) {
    *mhz = which == probe::kNvmlClockSm ? 1980 : 3201;
    return 0;
  };
  api.pcie_kb_per_s = [](NvmlDevice, int counter, unsigned* rate) {
    *rate = counter == probe::kNvmlPcieRx ? 2000 : 1000;
    return 0;
  };
  api.field_values = read_fields;
  api.common_ancestor = [](NvmlDevice, NvmlDevice, int* level) {
    *level = 30;
    return 0;
  };
  api.link_state = [](NvmlDevice device, unsigned link, unsigned* active) {
    *active = link < of(device).nvlink_ends.size() ? 1 : 0;
    return 0;
  };
  api.link_remote_pci = [](NvmlDevice device, unsigned link, probe::NvmlPciInfo* info) {
    return put(of(device).nvlink_ends[link], info->bus_id, sizeof info->bus_id);
  };
  api.compute_processes = read_processes;
  add_health(api);
  api.mig_mode = [](NvmlDevice device, unsigned* current, unsigned* pending) {
    *current = *pending = of(device).instances.empty() ? 0 : 1;
    return 0;
  };
  api.mig_most = [](NvmlDevice, unsigned* count) {
    *count = 7;
    return 0;
  };
  api.mig_by_index = [](NvmlDevice device, unsigned index, NvmlDevice* instance) {
    if (index >= of(device).instances.size()) return kNotFound;
    *instance = handle(reinterpret_cast<std::size_t>(device), index + 1);
    return 0;
  };
  return api;
}

}  // namespace ringside::fake_nvml
