#include "gui/view/tsv.h"

#include <algorithm>
#include <vector>

namespace ringside::view {
namespace {

using Cells = std::vector<std::string>;

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
