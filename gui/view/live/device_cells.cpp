#include "gui/view/live/device_cells.h"

#include <algorithm>
#include <cmath>

#include "gui/model/run_model.h"
#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

using messages::DeviceField;
using model::DeviceModel;
using Devices = std::span<const DeviceModel* const>;

Cell whole_cell(double value) { return {value, decimal_text(value, 0)}; }

/// Two values of a sample as one cell: the amount, and its share of the total.
Cell memory_cell(std::int64_t used_bytes, std::int64_t total_bytes) {
  Cell cell{used_bytes, gib_number(static_cast<double>(used_bytes))};
  if (total_bytes <= 0) return cell;
  cell.bar = static_cast<double>(used_bytes) / static_cast<double>(total_bytes);
  cell.suffix = "/" + decimal_text(static_cast<double>(total_bytes) / (1024.0 * 1024 * 1024), 0);
  return cell;
}

Cell load_cell(double percent) {
  Cell cell = whole_cell(percent);
  cell.bar = percent / 100;
  return cell;
}

double utilisation(const DeviceModel& device) {
  return static_cast<double>(device.latest.utilisation_pct);
}
double memory_used(const DeviceModel& device) {
  return static_cast<double>(device.latest.memory_used_bytes);
}
double temperature(const DeviceModel& device) {
  return static_cast<double>(device.latest.temperature_c);
}
double power(const DeviceModel& device) { return static_cast<double>(device.latest.power_w); }
double clock_mhz(const DeviceModel& device) {
  return static_cast<double>(device.latest.sm_clock_mhz);
}

template <DeviceField field, double (*value)(const DeviceModel&)>
Cell whole_of(const DeviceModel& device) {
  return is_valid(device.latest, field) ? whole_cell(value(device)) : unknown_cell();
}

Cell load_of(const DeviceModel& device) {
  return is_valid(device.latest, DeviceField::kUtilisation) ? load_cell(utilisation(device))
                                                            : unknown_cell();
}

Cell memory_of(const DeviceModel& device) {
  if (!is_valid(device.latest, DeviceField::kMemoryUsed)) return unknown_cell();
  const bool total = is_valid(device.latest, DeviceField::kMemoryTotal);
  return memory_cell(device.latest.memory_used_bytes, total ? device.latest.memory_total_bytes : 0);
}

Cell throttle_of(const DeviceModel& device) {
  if (!is_valid(device.latest, DeviceField::kThrottle)) return {};
  return text_cell(throttle_text(device.latest.throttle_reasons), Tone::kWarning);
}

struct Gathered {
  double sum = 0;
  double most = 0;
  int count = 0;
};
template <DeviceField field, double (*value)(const DeviceModel&)>
Gathered gather(Devices devices) {
  Gathered gathered;
  for (const DeviceModel* device : devices) {
    if (!is_valid(device->latest, field)) continue;
    gathered.sum += value(*device);
    gathered.most = std::max(gathered.most, value(*device));
    ++gathered.count;
  }
  return gathered;
}

template <DeviceField field, double (*value)(const DeviceModel&)>
Cell sum_of(Devices devices) {
  const Gathered all = gather<field, value>(devices);
  return all.count > 0 ? whole_cell(all.sum) : Cell{};
}
template <DeviceField field, double (*value)(const DeviceModel&)>
Cell mean_of(Devices devices) {
  const Gathered all = gather<field, value>(devices);
  return all.count > 0 ? whole_cell(all.sum / all.count) : Cell{};
}
template <DeviceField field, double (*value)(const DeviceModel&)>
Cell most_of(Devices devices) {
  const Gathered all = gather<field, value>(devices);
  return all.count > 0 ? whole_cell(all.most) : Cell{};
}
Cell memory_of_all(Devices devices) {
  const Gathered all = gather<DeviceField::kMemoryUsed, memory_used>(devices);
  return all.count > 0 ? Cell{all.sum, gib_number(all.sum)} : Cell{};
}

constexpr DeviceQuantity kCellQuantities[] = {
    {"utilisation", "Util", "%", 112, 40, 6, false, load_of,
     mean_of<DeviceField::kUtilisation, utilisation>},
    {"memory", "Memory", "GiB", 130, 70, 5, false, memory_of, memory_of_all},
    {"temperature", "Temp", "°C", 48, 0, 12, true, whole_of<DeviceField::kTemperature, temperature>,
     most_of<DeviceField::kTemperature, temperature>},
    {"power", "Power", "W", 50, 0, 13, true, whole_of<DeviceField::kPower, power>,
     sum_of<DeviceField::kPower, power>},
    {"clock", "Clock", "MHz", 62, 0, 1, true, whole_of<DeviceField::kSmClock, clock_mhz>, nullptr},
    {"throttle", "Slowed by", "", 150, 0, 1, true, throttle_of, nullptr},
};

/// The host, and the index of the rank in its lists (`local`); null: not sampled.
const model::HostModel* host_of(const model::RunModel& model, const model::RankModel& rank,
                                std::size_t& local) {
  const auto host = model.hosts().find(rank.node);
  if (host == model.hosts().end() || !rank.hello) return nullptr;
  local = static_cast<std::size_t>(std::max(0, rank.hello->local_rank));
  return &host->second;
}

}  // namespace

std::span<const DeviceQuantity> device_quantities() { return kCellQuantities; }

TableColumn column_of(const DeviceQuantity& quantity) {
  TableColumn column = number_column(quantity.key, quantity.label, quantity.unit);
  if (*quantity.unit == '\0') column.align = Align::kLeft;
  column.width = quantity.width;
  column.narrow_width = quantity.narrow_width;
  column.drop_order = quantity.drop_order;
  return column;
}

Cell process_load(const model::RunModel& model, const model::RankModel& rank) {
  std::size_t local = 0;
  const model::HostModel* host = host_of(model, rank, local);
  if (host == nullptr || local >= host->latest.rank_cpu_pct.size() ||
      !std::isfinite(host->latest.rank_cpu_pct[local]))
    return unknown_cell();
  const auto cores = static_cast<double>(std::max(1, rank.hello->threads));
  const double share = static_cast<double>(host->latest.rank_cpu_pct[local]) / 100 / cores;
  return load_cell(std::clamp(share, 0.0, 1.0) * 100);
}

Cell process_memory(const model::RunModel& model, const model::RankModel& rank) {
  std::size_t local = 0;
  const model::HostModel* host = host_of(model, rank, local);
  if (host == nullptr) return unknown_cell();
  const auto& now = host->latest.rank_resident_bytes;
  if (local < now.size() && now[local] >= 0)
    return memory_cell(now[local], host->latest.memory_total_bytes);
  // Ranks end one after the other, so the host's newest sample has only those that were still
  // running.
  if (local >= host->rank_memory.size() || host->rank_memory[local].samples().empty())
    return unknown_cell();
  const auto last = static_cast<std::int64_t>(host->rank_memory[local].samples().back().value);
  return memory_cell(last, host->latest.memory_total_bytes);
}

DeviceRanks device_ranks(const model::RunModel& model) {
  DeviceRanks ranks;
  for (const Rank rank : model.ranks()) {
    const auto& known = *model.rank(rank);
    if (known.hello) ranks.try_emplace({known.node, known.hello->device_uuid}, rank);
  }
  return ranks;
}

Rank rank_on(const DeviceRanks& ranks, const model::DeviceModel& device) {
  const auto found = ranks.find({device.node, device.latest.device_uuid});
  return found == ranks.end() ? kNoRank : found->second;
}

std::string link_to_next(const model::RunModel& model, const model::RankModel& rank) {
  const model::RankModel* next = model.rank((rank.rank + 1) % std::max(1, model.world_size()));
  if (next == nullptr || next == &rank || next->node != rank.node || !rank.hello || !next->hello)
    return {};
  const std::string& link =
      model.link(rank.node, rank.hello->device_uuid, next->hello->device_uuid);
  return link.empty() ? std::string() : link + " → " + rank_label(next->rank);
}

std::string short_uuid(const std::string& uuid) {
  return uuid.starts_with("GPU-") || uuid.starts_with("MIG-") ? uuid.substr(0, 12) : uuid;
}

std::string throttle_text(std::uint64_t reasons) {
  struct Reason {
    std::uint64_t bit;
    const char* words;
  };
  // Bits of nvmlClocksThrottleReasons; 1 (idle) and 2 (application clocks) do not slow a device
  // down.
  static constexpr Reason kReasons[] = {{0x4, "power cap"},
                                        {0x8, "hardware slowdown"},
                                        {0x20, "software thermal"},
                                        {0x40, "hardware thermal"},
                                        {0x80, "power brake"}};
  std::string text;
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) == 0) continue;
    add_listed(text, std::string(reason.words));
  }
  return text;
}

}  // namespace ringside::view
