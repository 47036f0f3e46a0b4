#include "gui/cli/print/run_table.h"

#include <string>
#include <vector>

#include "gui/cli/print/terminal.h"
#include "gui/runs/run_figures.h"
#include "gui/session/listed_runs.h"
#include "gui/view/runs/run_columns.h"

namespace ringside::cli {
namespace {

// Longer names would make a list of runs too wide.
constexpr std::size_t kNameWidth = 40;

}  // namespace

std::vector<view::RunSummary> listed(std::span<const runs::RunSummary> runs) {
  auto views = session::listed_runs(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) views[i].title = runs[i].name;
  return views;
}

view::Table printed_runs(std::span<const view::RunSummary* const> runs,
                         std::span<const std::string> keys, std::int64_t now_wall_ns) {
  view::Table table = view::run_table(runs, keys, now_wall_ns);
  const std::size_t name = view::column_index(table, "name");
  for (view::TableRow& row : table.rows)
    if (name < row.cells.size()) row.cells[name].text = cut_to(row.cells[name].text, kNameWidth);
  return table;
}

view::Table run_table(std::span<const runs::RunSummary> runs, std::int64_t now_wall_ns) {
  const auto views = listed(runs);
  std::vector<const view::RunSummary*> rows;
  for (const view::RunSummary& view : views) rows.push_back(&view);
  return printed_runs(rows, all_run_keys(), now_wall_ns);
}

std::vector<std::string> all_run_keys() {
  std::vector<std::string> keys;
  for (const view::TableColumn& column : view::run_columns())
    if (column.in_text) keys.push_back(column.key);
  return keys;
}

view::StateView state_of(const runs::RunSummary& run) {
  return view::outcome_view(view::outcome_of(run.state.word), runs::ended_in_nan(run.figures));
}

std::string queued_line(const runs::RunSummary& run) {
  if (run.state.word != "queued" || run.state.detail.empty()) return {};
  return "Queued " + one_line(run.state.detail) + "\n";
}

}  // namespace ringside::cli
