// What GPUs a host has, how they are linked, and one reading of each, all through a table of NVML
// functions. An object is used by one thread, because rates of link traffic follow from the
// previous reading.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/messages/device_records.h"
#include "trainer/probe/gpu_health.h"
#include "trainer/probe/nvml_api.h"

namespace ringside::probe {

struct GpuProcess {
  std::int64_t pid = 0;          ///< -1: not a number of this container
  std::int64_t used_bytes = -1;  ///< -1: the driver does not say
};

/// A GPU, or where it is split (Multi-Instance GPU) one of its instances in its place.
struct GpuInfo {
  std::int32_t index = 0;  ///< of the GPU in NVML's (PCI bus) order, as nvidia-smi shows it
  std::string uuid;        ///< "GPU-...", of an instance "MIG-..."
  std::string mig_of;      ///< of an instance: the UUID of its GPU
  std::string name;
  std::string pci_bus_id;
  std::string capability;  ///< compute capability, "8.6"; empty: the driver does not say
  std::int64_t memory_total_bytes = -1;
  std::int64_t memory_used_bytes = -1;
  float utilisation_pct = -1;  ///< -1: the driver does not say, here and below
  float temperature_c = -1;
  float power_w = -1;
  std::vector<GpuProcess> processes;  ///< computing on it now

  /// Another process is told which GPU it is, and not how it is now.
  RINGSIDE_FIELDS(index, uuid, mig_of, name)
};

/// How two GPUs reach each other.
struct GpuLink {
  std::int32_t a = 0;  ///< GpuInfo::index, a < b
  std::int32_t b = 0;
  std::string path;  ///< "same board", "one switch", "switches", "host bridge", "same node",
                     ///< "across sockets", "unknown"
  std::int32_t nvlink_count = 0;    ///< direct active NVLinks; through an NVSwitch: see `nvswitch`
  bool nvswitch = false;            ///< both have active NVLinks that end in no GPU of this host
  std::int32_t nvswitch_links = 0;  ///< of the one with fewer of those
};

/// The link as `nvidia-smi topo -m` prints it: "NV4", "PIX", "PXB", "PHB", "NODE", "SYS"; "?": not
/// known.
std::string link_word(const GpuLink& link);

class GpuProbe {
 public:
  explicit GpuProbe(const NvmlApi& api);

  /// GPUs without their load, which a driver in trouble may never answer.
  const std::vector<GpuInfo>& gpus() const { return gpus_; }
  std::vector<GpuInfo> gpus_with_load() const;
  std::vector<GpuLink> links() const;
  /// The health of those of `uuids` that are whole GPUs; the driver does not report it for MIG
  /// instances.
  std::unique_ptr<GpuHealth> health(std::span<const std::string> uuids) const;
  std::string driver_version() const;  ///< empty: not known
  std::string cuda_version() const;    ///< highest the driver supports, "13.0"; empty: not known
  /// One reading of gpus()[at], taken at `mono_ns`. A field that the driver refuses has no validity
  /// bit; so have those of PCIe traffic without `with_pcie`: the driver counts it for 20 ms each.
  messages::DeviceSample sample(std::size_t at, std::int64_t mono_ns, bool with_pcie);

 private:
  struct LinkCounters {
    std::int64_t mono_ns = 0;
    std::uint64_t tx_kib = 0;
    std::uint64_t rx_kib = 0;
  };
  struct Memory {
    std::int64_t used_bytes = 0;
    std::int64_t total_bytes = 0;
  };
  std::optional<Memory> memory_of(NvmlDevice device) const;
  void add(unsigned index, NvmlDevice device);
  GpuInfo describe(unsigned index, NvmlDevice device) const;
  void sample_load(NvmlDevice device, messages::DeviceSample& sample) const;
  void sample_clocks(NvmlDevice device, messages::DeviceSample& sample) const;
  void sample_pcie(NvmlDevice device, messages::DeviceSample& sample) const;
  void sample_links(std::size_t at, std::int64_t mono_ns, messages::DeviceSample& sample);

  NvmlApi api_;
  std::vector<NvmlDevice> devices_;
  std::vector<GpuInfo> gpus_;
  std::vector<std::optional<LinkCounters>> last_links_;
};

/// The GPUs that CUDA_VISIBLE_DEVICES leaves, in its order; without the variable, all. The list
/// ends at the first entry that names no GPU, as CUDA's own reading of it does. Numbers count in
/// PCI bus order.
std::vector<GpuInfo> visible_gpus(std::span<const GpuInfo> all,
                                  std::optional<std::string_view> variable);

/// Where CUDA itself would count otherwise, the fastest first, because the GPUs are of several
/// kinds and `order`, CUDA_DEVICE_ORDER, is not PCI_BUS_ID: which were taken for the numbers.
/// Empty: nothing to say.
std::string order_warning(std::span<const GpuInfo> all, std::string_view variable,
                          std::string_view order);

}  // namespace ringside::probe
