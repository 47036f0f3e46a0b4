#include "gui/view/report/memory_table.h"

#include <algorithm>
#include <cmath>

#include "gui/analysis/alerts/memory.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

using analysis::RankMemory;

struct MemoryPart {
  const char* key;
  const char* label;
  double RankMemory::*size;
};
constexpr MemoryPart kMemoryParts[] = {
    {"allocated_bytes", "allocated", &RankMemory::allocated},
    {"reserved_bytes", "reserved", &RankMemory::reserved},
    {"peak_bytes", "peak", &RankMemory::peak},
    {"left_bytes", "left on device", &RankMemory::left},
    {"parameter_bytes", "parameters", &RankMemory::parameters},
    {"gradient_bytes", "gradients", &RankMemory::gradients},
    {"optimizer_bytes", "optimizer", &RankMemory::optimizer},
    {"rest_bytes", "rest", &RankMemory::rest},
    {"in_steps_bytes", "in steps", &RankMemory::in_steps},
};

}  // namespace

Table memory_table(const model::RunModel& model) {
  Table table{"memory", "Memory of each rank at the end of its newest step that reported it"};
  std::vector<std::pair<Rank, RankMemory>> told;
  for (const Rank rank : model.ranks()) {
    const RankMemory memory = analysis::memory_of(model, *model.rank(rank));
    if (!std::isnan(memory.allocated) || !std::isnan(memory.parameters))
      told.emplace_back(rank, memory);
  }
  table.columns = {{"rank", "rank"}};
  for (const auto& [rank, memory] : told) add_row(table, {{std::int64_t{rank}, rank_label(rank)}});
  const auto mib = [](double bytes) { return decimal_text(bytes / analysis::kMib, 1); };
  for (const MemoryPart& part : kMemoryParts) {
    const auto known = [&](const auto& one) { return !std::isnan(one.second.*part.size); };
    if (std::ranges::none_of(told, known)) continue;
    table.columns.push_back(number_column(part.key, part.label, "MiB"));
    for (std::size_t i = 0; i < told.size(); ++i)
      table.rows[i].cells.push_back(number_cell(told[i].second.*part.size, mib));
  }
  if (column_index(table, "allocated_bytes") < table.columns.size())
    table.notes.push_back(
        "As PyTorch's allocator counts it. Rest: buffers, buckets, parameters that are not trained "
        "and what the program keeps. In steps: from there up to the peak, activations for the most "
        "part. Left: at the device's fullest reading, whoever uses it.");
  return table;
}

}  // namespace ringside::view
