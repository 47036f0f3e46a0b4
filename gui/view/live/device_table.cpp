#include "gui/view/live/device_table.h"

#include "gui/model/run_model.h"
#include "gui/view/live/device_cells.h"
#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

TableRow row_of(const DeviceRanks& ranks, const model::DeviceModel& device) {
  TableRow row{device.latest.device_uuid};
  row.cells = {{std::int64_t{device.latest.device_index}, count_text(device.latest.device_index)},
               text_cell(short_uuid(device.latest.device_uuid), Tone::kDim),
               {}};
  if (const Rank rank = rank_on(ranks, device); rank != kNoRank) {
    row.cells.back() = {std::int64_t{rank}, rank_label(rank)};
    row.cells.back().rank = rank;
  }
  for (const DeviceQuantity& quantity : device_quantities())
    row.cells.push_back(quantity.of(device));
  return row;
}

Sentence host_line(const messages::HostSample& host) {
  Sentence line{{"Host: CPU ", Style::kDim},
                {percent_text(static_cast<double>(host.cpu_pct) / 100), Style::kNumber}};
  if (host.memory_used_bytes >= 0) {
    line.push_back({", memory ", Style::kDim});
    line.push_back({gib_number(static_cast<double>(host.memory_used_bytes)) + " of " +
                        gib_text(static_cast<double>(host.memory_total_bytes)),
                    Style::kNumber});
  }
  if (host.disk_free_bytes >= 0)
    line.push_back(
        {", " + gib_text(static_cast<double>(host.disk_free_bytes)) + " free", Style::kDim});
  return line;
}

}  // namespace

DeviceTableView build_device_table(const model::RunModel& model) {
  DeviceTableView view;
  Table& table = view.table;
  table.key = "devices";
  table.columns = {left_column("device", "Device", 150), left_column("uuid", "UUID", 110, 3),
                   left_column("rank", "Rank", 30)};
  table.columns[0].narrow_width = 90;
  table.columns[1].code = true;
  for (const DeviceQuantity& quantity : device_quantities())
    table.columns.push_back(column_of(quantity));
  const DeviceRanks ranks = device_ranks(model);
  for (const model::DeviceModel& device : model.devices())
    table.rows.push_back(row_of(ranks, device));
  if (!model.hosts().empty()) view.host = host_line(model.hosts().begin()->second.latest);
  table.empty = {{"No GPU is sampled in this run.", Style::kDim}};
  return view;
}

}  // namespace ringside::view
