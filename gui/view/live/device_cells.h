// What is measured of a device, as columns and cells of the tables of ranks and of devices. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model_fwd.h"
#include "gui/view/table.h"

namespace ringside::view {

/// One quantity of a device: its column, its cell of one, and of several together.
struct DeviceQuantity {
  const char* key;
  const char* label;
  const char* unit;
  float width;
  float narrow_width;
  int drop_order;
  bool gpu_only;  ///< a rank on the CPU has none
  Cell (*of)(const model::DeviceModel&);
  Cell (*of_all)(std::span<const model::DeviceModel* const>);  ///< null: says nothing of several
};
/// Quantities of a device, those of the table of ranks first.
std::span<const DeviceQuantity> device_quantities();
inline constexpr std::size_t kRankDeviceQuantities = 4;
TableColumn column_of(const DeviceQuantity& quantity);

/// A CPU rank has no device of its own: the load and the memory of its process.
Cell process_load(const model::RunModel& model, const model::RankModel& rank);
Cell process_memory(const model::RunModel& model, const model::RankModel& rank);

/// The rank that computes on each device, for tables of many of them.
using DeviceRanks = std::map<std::pair<Node, std::string>, Rank>;
DeviceRanks device_ranks(const model::RunModel& model);
/// kNoRank: none.
Rank rank_on(const DeviceRanks& ranks, const model::DeviceModel& device);

/// "NV4 → r1": how its device reaches that of the next rank around the ring, where both are on one
/// node and the driver said it; else nothing.
std::string link_to_next(const model::RunModel& model, const model::RankModel& rank);

/// "GPU-5e1c9f0b", shortened.
std::string short_uuid(const std::string& uuid);

/// "Software power cap", ... of NVML's bit mask; empty when nothing slows the device down.
std::string throttle_text(std::uint64_t reasons);

}  // namespace ringside::view
