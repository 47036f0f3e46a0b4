// The GPUs of a host, their links, and samples of each, through a table of NVML functions. An
// object is used by one thread, because link traffic rates depend on the previous sample.
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
  std::int64_t pid = 0;          ///< -1: not visible in this container's PID namespace
  std::int64_t used_bytes = -1;  ///< -1: not reported by the driver
};

/// A GPU or, if it is split (Multi-Instance GPU), one of its instances.
struct GpuInfo {
  std::int32_t index = 0;  ///< index of the GPU in NVML's (PCI bus) order, as in nvidia-smi
  std::string uuid;        ///< "GPU-...", for an instance "MIG-..."
  std::string mig_of;      ///< for an instance: the UUID of its GPU
  std::string name;
  std::string pci_bus_id;
  std::string capability;  ///< compute capability, "8.6"; empty: not reported by the driver
  std::int64_t memory_total_bytes = -1;
  std::int64_t memory_used_bytes = -1;
  float utilisation_pct = -1;  ///< -1: not reported by the driver, here and below
  float temperature_c = -1;
  float power_w = -1;
  std::vector<GpuProcess> processes;  ///< that compute on it now
  std::int32_t numa_node = -1;        ///< filled in by those that need it; -1: unknown

  /// Only the identity of a GPU is sent to another process, not its load.
  RINGSIDE_FIELDS(index, uuid, mig_of, name)
};

/// How two GPUs are connected.
struct GpuLink {
  std::int32_t a = 0;  ///< GpuInfo::index, a < b
  std::int32_t b = 0;
  std::string path;  ///< "same board", "one switch", "switches", "host bridge", "same node",
                     ///< "across sockets", "unknown"
  std::int32_t nvlink_count = 0;    ///< direct active NVLinks; for an NVSwitch see `nvswitch`
  bool nvswitch = false;            ///< both have active NVLinks that end at no GPU of this host
  std::int32_t nvswitch_links = 0;  ///< of the GPU with fewer of them
};

/// The link as printed by `nvidia-smi topo -m`: "NV4", "PIX", "PXB", "PHB", "NODE", "SYS"; "?":
/// unknown.
std::string link_word(const GpuLink& link);

class GpuProbe {
 public:
  explicit GpuProbe(const NvmlApi& api);

  /// GPUs without their load, whose query may hang in a faulty driver.
  const std::vector<GpuInfo>& gpus() const { return gpus_; }
  std::vector<GpuInfo> gpus_with_load() const;
  std::vector<GpuLink> links() const;
  /// Health of those of `uuids` that are whole GPUs; the driver does not report it for MIG
  /// instances.
  std::unique_ptr<GpuHealth> health(std::span<const std::string> uuids) const;
  std::string driver_version() const;  ///< empty: unknown
  std::string cuda_version() const;    ///< highest supported, "13.0"; empty: unknown
  /// A sample of gpus()[at], taken at `mono_ns`. A field that the driver refuses has no validity
  /// bit, nor do those of PCIe traffic without `with_pcie`: the driver measures each for 20 ms.
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

/// The GPUs that CUDA_VISIBLE_DEVICES selects, in its order; without the variable, all. The list
/// ends at the first entry that names no GPU, as in CUDA. Numbers are in PCI bus order.
std::vector<GpuInfo> visible_gpus(std::span<const GpuInfo> all,
                                  std::optional<std::string_view> variable);

/// A warning when CUDA itself would number the GPUs differently (fastest first), since they are of
/// several kinds and `order`, CUDA_DEVICE_ORDER, is not PCI_BUS_ID: which GPUs the numbers were
/// taken for. Empty: no warning.
std::string order_warning(std::span<const GpuInfo> all, std::string_view variable,
                          std::string_view order);

}  // namespace ringside::probe
