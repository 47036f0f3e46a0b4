#include "trainer/probe/gpu_probe.h"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/base/text.h"

namespace ringside::probe {
namespace {

using messages::DeviceField;

std::string text_of(std::span<const char> buffer) {
  const auto end = std::find(buffer.begin(), buffer.end(), '\0');
  return std::string(buffer.begin(), end);
}

std::string path_name(int level) {
  // NVML's levels of nvmlGpuTopologyLevel_t are 0, 10, ... 50.
  constexpr const char* kNames[] = {"same board",  "one switch", "switches",
                                    "host bridge", "same node",  "across sockets"};
  const bool known = level % 10 == 0 && level >= 0 && level <= 50;
  return known ? kNames[level / 10] : "unknown";
}

// Sets the field and its validity bit if `read` succeeds.
template <class Field, class Read>
void measure(messages::DeviceSample& sample, DeviceField which, Field& field, Read read) {
  if (read(field)) sample.valid |= messages::bit_of(which);
}

// The other end of each active NVLink of a GPU; empty for an NVSwitch or an unknown end.
std::vector<std::string> nvlink_ends(const NvmlApi& api, NvmlDevice device) {
  std::vector<std::string> ends;
  if (api.link_state == nullptr) return ends;
  for (unsigned link = 0; link < kNvmlMaxLinks; ++link) {
    unsigned active = 0;
    if (api.link_state(device, link, &active) != kNvmlSuccess || active == 0) continue;
    NvmlPciInfo remote{};
    const bool known = api.link_remote_pci != nullptr &&
                       api.link_remote_pci(device, link, &remote) == kNvmlSuccess;
    ends.push_back(known ? text_of(remote.bus_id) : std::string());
  }
  return ends;
}

bool names(const GpuInfo& gpu, std::string_view entry) {
  if (const auto index = whole_number<std::int32_t>(entry)) return gpu.index == *index;
  const bool id = entry.starts_with("GPU-") || entry.starts_with("MIG-");
  return id && entry.size() >= 5 && (gpu.uuid.starts_with(entry) || gpu.mig_of.starts_with(entry));
}

}  // namespace

GpuProbe::GpuProbe(const NvmlApi& api) : api_(api) {
  unsigned count = 0;
  if (api_.device_count(&count) != kNvmlSuccess) return;
  for (unsigned index = 0; index < count; ++index) {
    NvmlDevice device = nullptr;
    // A GPU that is no longer on its bus is left out; the others still work.
    if (api_.device_by_index(index, &device) != kNvmlSuccess) continue;
    add(index, device);
  }
  last_links_.resize(devices_.size());
}

void GpuProbe::add(unsigned index, NvmlDevice device) {
  GpuInfo info = describe(index, device);
  unsigned enabled = 0;
  unsigned pending = 0;
  unsigned most = 0;
  if (api_.mig_mode == nullptr || api_.mig_most == nullptr || api_.mig_by_index == nullptr ||
      api_.mig_mode(device, &enabled, &pending) != kNvmlSuccess || enabled == 0 ||
      api_.mig_most(device, &most) != kNvmlSuccess) {
    devices_.push_back(device);
    gpus_.push_back(std::move(info));
    return;
  }
  // In this mode only the GPU's instances can compute; some indices may have none.
  for (unsigned place = 0; place < most; ++place) {
    NvmlDevice instance = nullptr;
    if (api_.mig_by_index(device, place, &instance) != kNvmlSuccess) continue;
    devices_.push_back(instance);
    gpus_.push_back(describe(index, instance));
    gpus_.back().mig_of = info.uuid;
    gpus_.back().capability = info.capability;
  }
}

GpuInfo GpuProbe::describe(unsigned index, NvmlDevice device) const {
  GpuInfo info;
  info.index = static_cast<std::int32_t>(index);
  std::array<char, 96> text{};
  if (api_.uuid(device, text.data(), text.size()) == kNvmlSuccess) info.uuid = text_of(text);
  text.fill('\0');
  if (api_.name(device, text.data(), text.size()) == kNvmlSuccess) info.name = text_of(text);
  NvmlPciInfo pci{};
  if (api_.pci_info != nullptr && api_.pci_info(device, &pci) == kNvmlSuccess) {
    info.pci_bus_id = text_of(pci.bus_id);
  }
  int major = 0;
  int minor = 0;
  if (api_.capability != nullptr && api_.capability(device, &major, &minor) == kNvmlSuccess)
    info.capability = std::to_string(major) + "." + std::to_string(minor);
  if (const auto memory = memory_of(device)) {
    info.memory_total_bytes = memory->total_bytes;
    info.memory_used_bytes = memory->used_bytes;
  }
  std::array<NvmlProcess, 64> processes{};
  unsigned count = processes.size();
  if (api_.compute_processes != nullptr &&
      api_.compute_processes(device, &count, processes.data()) == kNvmlSuccess) {
    for (const NvmlProcess& process :
         std::span(processes).first(std::min<std::size_t>(count, 64))) {
      const bool known = process.used_bytes != ~0ULL;
      info.processes.push_back(
          {process.pid, known ? static_cast<std::int64_t>(process.used_bytes) : -1});
    }
  }
  return info;
}

std::optional<GpuProbe::Memory> GpuProbe::memory_of(NvmlDevice device) const {
  const auto memory = [](unsigned long long used, unsigned long long total) {
    return Memory{static_cast<std::int64_t>(used), static_cast<std::int64_t>(total)};
  };
  NvmlMemoryV2 newer{kNvmlMemoryV2, 0, 0, 0, 0};
  if (api_.memory_v2 != nullptr && api_.memory_v2(device, &newer) == kNvmlSuccess)
    return memory(newer.used, newer.total);
  NvmlMemory older{};
  if (api_.memory != nullptr && api_.memory(device, &older) == kNvmlSuccess)
    return memory(older.used, older.total);
  return std::nullopt;
}

std::string link_word(const GpuLink& link) {
  constexpr std::array<std::pair<std::string_view, const char*>, 6> kWords{
      {{"same board", "PIX"},
       {"one switch", "PIX"},
       {"switches", "PXB"},
       {"host bridge", "PHB"},
       {"same node", "NODE"},
       {"across sockets", "SYS"}}};
  const int nvlinks = link.nvlink_count + link.nvswitch_links;
  if (nvlinks > 0) return "NV" + std::to_string(nvlinks);
  for (const auto& [path, word] : kWords) {
    if (path == link.path) return word;
  }
  return "?";
}

std::vector<GpuLink> GpuProbe::links() const {
  std::vector<std::vector<std::string>> ends;
  for (NvmlDevice device : devices_) ends.push_back(nvlink_ends(api_, device));
  const auto to_switch = [&](std::size_t at) {
    return std::count_if(ends[at].begin(), ends[at].end(), [&](const std::string& end) {
      return std::none_of(gpus_.begin(), gpus_.end(), [&](const GpuInfo& gpu) {
        return !end.empty() && gpu.pci_bus_id == end;
      });
    });
  };
  std::vector<GpuLink> links;
  for (std::size_t a = 0; a < devices_.size(); ++a) {
    for (std::size_t b = a + 1; b < devices_.size(); ++b) {
      GpuLink link{gpus_[a].index, gpus_[b].index, "unknown", 0, false, 0};
      int level = -1;
      if (api_.common_ancestor != nullptr &&
          api_.common_ancestor(devices_[a], devices_[b], &level) == kNvmlSuccess) {
        link.path = path_name(level);
      }
      link.nvlink_count = static_cast<std::int32_t>(
          std::count(ends[a].begin(), ends[a].end(), gpus_[b].pci_bus_id));
      const auto shared = std::min(to_switch(a), to_switch(b));
      link.nvswitch = link.nvlink_count == 0 && shared > 0;
      if (link.nvswitch) link.nvswitch_links = static_cast<std::int32_t>(shared);
      links.push_back(link);
    }
  }
  return links;
}

std::unique_ptr<GpuHealth> GpuProbe::health(std::span<const std::string> uuids) const {
  std::vector<GpuHealth::Watched> watched;
  for (std::size_t at = 0; at < gpus_.size(); ++at) {
    const GpuInfo& gpu = gpus_[at];
    if (gpu.mig_of.empty() && std::find(uuids.begin(), uuids.end(), gpu.uuid) != uuids.end())
      watched.push_back({devices_[at], gpu.index, gpu.uuid});
  }
  return std::make_unique<GpuHealth>(api_, std::move(watched));
}

std::string GpuProbe::driver_version() const {
  std::array<char, 96> text{};
  if (api_.driver_version == nullptr ||
      api_.driver_version(text.data(), text.size()) != kNvmlSuccess) {
    return {};
  }
  return text_of(text);
}

std::string GpuProbe::cuda_version() const {
  int version = 0;
  if (api_.cuda_version == nullptr || api_.cuda_version(&version) != kNvmlSuccess) return {};
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::vector<GpuInfo> GpuProbe::gpus_with_load() const {
  std::vector<GpuInfo> gpus = gpus_;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    messages::DeviceSample load;
    sample_load(devices_[i], load);
    if (is_valid(load, DeviceField::kUtilisation)) gpus[i].utilisation_pct = load.utilisation_pct;
    if (is_valid(load, DeviceField::kTemperature)) gpus[i].temperature_c = load.temperature_c;
    if (is_valid(load, DeviceField::kPower)) gpus[i].power_w = load.power_w;
  }
  return gpus;
}

messages::DeviceSample GpuProbe::sample(std::size_t at, std::int64_t mono_ns, bool with_pcie) {
  const NvmlDevice device = devices_[at];
  messages::DeviceSample sample;
  sample.device_index = gpus_[at].index;
  sample.device_uuid = gpus_[at].uuid;
  sample_load(device, sample);
  if (const auto memory = memory_of(device)) {
    sample.memory_used_bytes = memory->used_bytes;
    sample.memory_total_bytes = memory->total_bytes;
    sample.valid |=
        messages::bit_of(DeviceField::kMemoryUsed) | messages::bit_of(DeviceField::kMemoryTotal);
  }
  sample_clocks(device, sample);
  sample_links(at, mono_ns, sample);
  // Last, so that the other values are read near the record's time.
  if (with_pcie) sample_pcie(device, sample);
  return sample;
}

/// Reads utilisation, temperature and power of a device.
void GpuProbe::sample_load(NvmlDevice device, messages::DeviceSample& sample) const {
  measure(sample, DeviceField::kUtilisation, sample.utilisation_pct, [&](float& value) {
    NvmlUtilization rates{};
    if (api_.utilization == nullptr || api_.utilization(device, &rates) != kNvmlSuccess)
      return false;
    value = static_cast<float>(rates.gpu);
    return true;
  });
  measure(sample, DeviceField::kTemperature, sample.temperature_c, [&](float& value) {
    unsigned raw = 0;
    if (api_.temperature == nullptr ||
        api_.temperature(device, kNvmlTemperatureGpu, &raw) != kNvmlSuccess) {
      return false;
    }
    value = static_cast<float>(raw);
    return true;
  });
  measure(sample, DeviceField::kPower, sample.power_w, [&](float& value) {
    unsigned milliwatts = 0;
    if (api_.power_mw == nullptr || api_.power_mw(device, &milliwatts) != kNvmlSuccess)
      return false;
    value = static_cast<float>(milliwatts) / 1000.0F;
    return true;
  });
}

void GpuProbe::sample_clocks(NvmlDevice device, messages::DeviceSample& sample) const {
  const auto clock = [&](int which) {
    return [this, device, which](float& value) {
      unsigned mhz = 0;
      if (api_.clock_mhz == nullptr || api_.clock_mhz(device, which, &mhz) != kNvmlSuccess)
        return false;
      value = static_cast<float>(mhz);
      return true;
    };
  };
  measure(sample, DeviceField::kSmClock, sample.sm_clock_mhz, clock(kNvmlClockSm));
  measure(sample, DeviceField::kMemoryClock, sample.memory_clock_mhz, clock(kNvmlClockMemory));
  measure(sample, DeviceField::kThrottle, sample.throttle_reasons, [&](std::uint64_t& value) {
    unsigned long long mask = 0;
    if (api_.throttle_reasons == nullptr || api_.throttle_reasons(device, &mask) != kNvmlSuccess) {
      return false;
    }
    value = mask;
    return true;
  });
}

void GpuProbe::sample_pcie(NvmlDevice device, messages::DeviceSample& sample) const {
  const auto rate = [&](int counter) {
    return [this, device, counter](double& value) {
      unsigned kb_per_s = 0;
      if (api_.pcie_kb_per_s == nullptr ||
          api_.pcie_kb_per_s(device, counter, &kb_per_s) != kNvmlSuccess) {
        return false;
      }
      value = 1000.0 * kb_per_s;
      return true;
    };
  };
  measure(sample, DeviceField::kPcieRx, sample.pcie_rx_bytes_per_s, rate(kNvmlPcieRx));
  measure(sample, DeviceField::kPcieTx, sample.pcie_tx_bytes_per_s, rate(kNvmlPcieTx));
}

void GpuProbe::sample_links(std::size_t at, std::int64_t mono_ns, messages::DeviceSample& sample) {
  std::array<NvmlFieldValue, 2> values{};
  values[0].field_id = kNvmlFieldLinkDataTx;
  values[1].field_id = kNvmlFieldLinkDataRx;
  for (NvmlFieldValue& value : values) value.scope_id = kNvmlAllLinks;
  if (api_.field_values == nullptr ||
      api_.field_values(devices_[at], 2, values.data()) != kNvmlSuccess ||
      values[0].result != kNvmlSuccess || values[1].result != kNvmlSuccess) {
    last_links_[at].reset();
    return;
  }
  const LinkCounters now{mono_ns, values[0].value.as_ull, values[1].value.as_ull};
  const auto before = std::exchange(last_links_[at], now);
  if (!before || now.mono_ns <= before->mono_ns || now.tx_kib < before->tx_kib ||
      now.rx_kib < before->rx_kib) {
    return;
  }
  const double seconds = static_cast<double>(now.mono_ns - before->mono_ns) * 1e-9;
  const auto rate = [&](std::uint64_t kib) {
    return [kib, seconds](double& value) {
      value = 1024.0 * static_cast<double>(kib) / seconds;
      return true;
    };
  };
  measure(sample, DeviceField::kLinkRx, sample.link_rx_bytes_per_s,
          rate(now.rx_kib - before->rx_kib));
  measure(sample, DeviceField::kLinkTx, sample.link_tx_bytes_per_s,
          rate(now.tx_kib - before->tx_kib));
}

std::vector<GpuInfo> visible_gpus(std::span<const GpuInfo> all,
                                  std::optional<std::string_view> variable) {
  if (!variable) return {all.begin(), all.end()};
  std::vector<GpuInfo> visible;
  std::string_view rest = *variable;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    std::string_view entry = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    while (entry.starts_with(' ')) entry.remove_prefix(1);
    while (entry.ends_with(' ')) entry.remove_suffix(1);
    const auto gpu =
        std::find_if(all.begin(), all.end(), [&](const GpuInfo& g) { return names(g, entry); });
    if (gpu == all.end()) break;
    visible.push_back(*gpu);
  }
  return visible;
}

std::string order_warning(std::span<const GpuInfo> all, std::string_view variable,
                          std::string_view order) {
  const bool mixed = std::any_of(
      all.begin(), all.end(), [&all](const GpuInfo& gpu) { return gpu.name != all.front().name; });
  const bool numbers = !variable.empty() && variable.front() >= '0' && variable.front() <= '9';
  if (!mixed || !numbers || order == "PCI_BUS_ID") return {};
  std::string taken;
  for (const GpuInfo& gpu : visible_gpus(all, variable))
    add_listed(taken, gpu.name + " (" + gpu.uuid + ")");
  return "the GPUs are of several kinds, which CUDA by itself counts with the fastest first; "
         "CUDA_VISIBLE_DEVICES = \"" +
         std::string(variable) + "\" is counted here as nvidia-smi does: " + taken +
         "; set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name UUIDs, to have it the same everywhere";
}

}  // namespace ringside::probe
