// Measured quantities of a device, as columns and cells of the tables of ranks and of devices.
// Pure.
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

/// One quantity of a device: its column, the cell of one device, and that of several together.
struct DeviceQuantity {
  const char* key;
  const char* label;
  const char* unit;
  float width;
  float narrow_width;
  int drop_order;
  bool gpu_only;  ///< a rank on the CPU does not have it
  Cell (*of)(const model::DeviceModel&);
  Cell (*of_all)(std::span<const model::DeviceModel* const>);  ///< null: meaningless for several
};
/// Quantities of a device, starting with those of the table of ranks.
std::span<const DeviceQuantity> device_quantities();
inline constexpr std::size_t kRankDeviceQuantities = 4;
TableColumn column_of(const DeviceQuantity& quantity);

/// The load and the memory of a CPU rank's process, since it has no device of its own.
Cell process_load(const model::RunModel& model, const model::RankModel& rank);
Cell process_memory(const model::RunModel& model, const model::RankModel& rank);

/// The rank that computes on each device, as an index for tables of many devices.
using DeviceRanks = std::map<std::pair<Node, std::string>, Rank>;
DeviceRanks device_ranks(const model::RunModel& model);
/// Returns kNoRank if there is none.
Rank rank_on(const DeviceRanks& ranks, const model::DeviceModel& device);

/// "NV4 → r1": the link from its device to that of the next rank around the ring, if both are on
/// one node and the driver reported it; empty otherwise.
std::string link_to_next(const model::RunModel& model, const model::RankModel& rank);

/// "GPU-5e1c9f0b", shortened.
std::string short_uuid(const std::string& uuid);

/// "Software power cap", ... from NVML's bit mask; empty if nothing slows the device down.
std::string throttle_text(std::uint64_t reasons);

}  // namespace ringside::view
