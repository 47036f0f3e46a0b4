#include "gui/view/tsv.h"

#include <algorithm>
#include <vector>

namespace ringside::view {
namespace {

using Cells = std::vector<std::string>;

Cells rank_cells(const RankRow& row) {
  return {row.rank < 0 ? "All" : rank_label(row.rank),
          row.rank < 0 ? "" : row.state.word,
          row.device,
          row.device_id,
          row.step,
          row.samples_per_s,
          row.p50,
          row.p95,
          row.own_work,
          row.arrived_last,
          row.loss,
          row.grad_norm,
          row.utilisation_text,
          row.memory_text,
          row.temperature,
          row.power,
          row.link};
}

}  // namespace

std::string tsv_line(std::span<const std::string> cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string cell = cells[i];
    std::replace_if(
        cell.begin(), cell.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    line += (i == 0 ? "" : "\t") + cell;
  }
  return line + "\n";
}

std::string rank_table_tsv(const RankTableView& table) {
  std::string text =
      tsv_line(Cells{"Rank", "State", "Device", "UUID", "Step", "Samples/s", "Step p50 ms",
                     "p95 ms", "Compute ms", "Last to arrive %", "Loss", "Grad norm", "Util %",
                     "Memory GiB", "Temp °C", "Power W", "Link to next"});
  for (const RankRow& row : table.rows) text += tsv_line(rank_cells(row));
  if (table.has_all) text += tsv_line(rank_cells(table.all));
  return text;
}

std::string device_table_tsv(const DeviceTableView& table) {
  std::string text = tsv_line(Cells{"Device", "UUID", "Rank", "Util %", "Memory GiB", "Temp °C",
                                    "Power W", "Clock MHz", "Slowed by"});
  for (const DeviceRow& row : table.rows) {
    text += tsv_line(Cells{row.device, row.uuid, row.rank < 0 ? "" : rank_label(row.rank),
                           row.utilisation_text, row.memory_text, row.temperature, row.power,
                           row.clock, row.throttle});
  }
  return text;
}

std::string runs_tsv(const RunsView& runs) {
  std::string text = tsv_line(Cells{"Run", "Id", "State", "What", runs.device_header, "Global",
                                    "Best val %", "Time", "Speedup", "Tags", "Started"});
  for (const RunRow& row : runs.rows) {
    std::string tags;
    for (const std::string& tag : row.tags) tags += (tags.empty() ? "" : ", ") + tag;
    text += tsv_line(Cells{row.number, row.id, row.state.word, row.title, row.ranks, row.global,
                           row.accuracy, row.time, row.speedup, tags, row.started});
  }
  return text;
}

std::string batch_tsv(std::span<const BatchRow> rows) {
  const bool wrong =
      std::any_of(rows.begin(), rows.end(), [](const BatchRow& row) { return !row.error.empty(); });
  Cells heads{"Batch", "Per rank", "Global", "Steps / epoch", "Last batch", "Padding"};
  if (wrong) heads.emplace_back("Refused");
  std::string text = tsv_line(heads);
  for (const BatchRow& row : rows) {
    Cells cells{row.word,       row.per_device, row.global, row.steps_per_epoch,
                row.last_batch, row.padding};
    if (wrong) cells.push_back(row.error);
    text += tsv_line(cells);
  }
  return text;
}

std::string links_tsv(const LinkMatrix& links) {
  Cells heads{"Link"};
  for (const LinkRow& row : links.rows) heads.push_back("GPU " + row.head);
  std::string text = tsv_line(heads);
  for (const LinkRow& row : links.rows) {
    Cells cells{"GPU " + row.head};
    for (const LinkCell& cell : row.cells) cells.push_back(cell.word);
    text += tsv_line(cells);
  }
  return text;
}

}  // namespace ringside::view
