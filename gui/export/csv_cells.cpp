#include "gui/export/csv_cells.h"

#include <algorithm>

namespace ringside::exporting {
namespace {

constexpr std::array<std::string_view, 24> kMinusOneFields = {"correct",
                                                              "counted",
                                                              "steps",
                                                              "non_finite_buckets",
                                                              "data_wait_ns",
                                                              "host_to_device_ns",
                                                              "forward_ns",
                                                              "backward_ns",
                                                              "exposed_comm_ns",
                                                              "optimizer_ns",
                                                              "memory_used_bytes",
                                                              "memory_total_bytes",
                                                              "disk_free_bytes",
                                                              "rank_resident_bytes",
                                                              "exit_code",
                                                              "signal",
                                                              "last_step",
                                                              "about",
                                                              "cpus",
                                                              "replica",
                                                              "replicas",
                                                              "peer",
                                                              "done_ns",
                                                              "own_ns"};

constexpr std::array<std::string_view, 3> kNanFields = {"cpu_pct", "rank_cpu_pct",
                                                        "viewer_cpu_pct"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

CellRule cell_rule(messages::RecordType type, std::string_view field) {
  if (field == "epoch" || field == "step") return CellRule::kLeading;
  if (type == messages::RecordType::kDeviceSample) {
    bool measured = false;
    messages::DeviceSample any;
    messages::DeviceSample::measured(
        any, [&](auto, std::string_view name, const auto&) { measured |= name == field; });
    return measured ? CellRule::kIfValid : CellRule::kPlain;
  }
  if (among(kMinusOneFields, field)) return CellRule::kMinusOneIsUnknown;
  if (among(kNanFields, field)) return CellRule::kNanIsUnknown;
  return CellRule::kPlain;
}

}  // namespace ringside::exporting
