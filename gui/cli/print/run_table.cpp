#include "gui/cli/print/run_table.h"

#include <cmath>
#include <string>
#include <vector>

#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/runs/run_figures.h"
#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"

namespace ringside::cli {
namespace {

using view::Entry;
using view::hidden;
using view::number_column;

// Longer names would make a list of runs too wide.
constexpr std::size_t kNameWidth = 40;

view::CellValue if_any(const std::string& text) {
  return text.empty() ? view::CellValue() : view::CellValue(text);
}

template <class Format>
Entry number(const char* key, const char* label, double value, Format&& format) {
  return {number_column(key, label), view::number_cell(value, format)};
}

std::vector<Entry> entries_of(const runs::RunSummary& run, std::int64_t now_wall_ns) {
  const auto& figures = run.figures;
  const view::StateView state = state_of(run);
  const bool nan = runs::ended_in_nan(figures);
  const auto rate = [](double v) { return view::count_text(static_cast<std::int64_t>(v)); };
  return {
      {{"id", "id"}, view::text_cell(run.folder.id())},
      {number_column("number", "run"), {run.number, runs::label_of(run)}},
      {{"name", "name"}, {run.name, cut_to(one_line(run.name), kNameWidth)}},
      hidden("folder", run.folder.path().string()),
      {{"state", "state"}, {run.state.word, state.word, state.tone}},
      hidden("detail", run.state.detail),
      hidden("live", run.state.live),
      hidden("recipe", run.recipe),
      {number_column("world_size", "ranks"), {run.ranks, view::known_count_cell(run.ranks).text}},
      {number_column("global_batch", "batch"), view::known_count_cell(run.global_batch)},
      hidden("steps", figures.steps),
      hidden("steps_planned", figures.steps_planned),
      hidden("seconds", figures.seconds),
      number("train_seconds", "training", figures.train_seconds, view::seconds_text),
      number("samples_per_s", "samples/s", figures.samples_per_s, rate),
      number("val_accuracy", "val", figures.val_accuracy, view::accuracy_text),
      number("best_val_accuracy", "best val", figures.best_val_accuracy, view::accuracy_text),
      {number_column("final_loss", "final loss"),
       {figures.final_loss,
        nan && std::isnan(figures.final_loss) ? "NaN" : view::loss_text(figures.final_loss)}},
      hidden("broken_loss", if_any(figures.broken_loss)),
      hidden("loss_not_finite", nan),
      hidden("baseline", if_any(runs::baseline_id(run.folder, run.spec))),
      number("speedup", "speedup", figures.speedup, view::speedup_text),
      hidden("efficiency", figures.efficiency),
      {{"started", "started"},
       {if_any(utc_text(figures.started_wall_ns)),
        view::day_text(figures.started_wall_ns, now_wall_ns)}},
      hidden("last_seen", if_any(utc_text(figures.last_seen_wall_ns))),
      hidden("lost_records", static_cast<std::int64_t>(figures.lost_records)),
      hidden("problem", run.problem)};
}

}  // namespace

view::Table run_table(std::span<const runs::RunSummary> runs, std::int64_t now_wall_ns) {
  view::Table table{"runs", "Runs"};
  for (const auto& run : runs) view::add_entries(table, entries_of(run, now_wall_ns));
  return table;
}

view::StateView state_of(const runs::RunSummary& run) {
  return view::outcome_view(view::outcome_of(run.state.word), runs::ended_in_nan(run.figures));
}

std::string queued_line(const runs::RunSummary& run) {
  if (run.state.word != "queued" || run.state.detail.empty()) return {};
  return "Queued " + one_line(run.state.detail) + "\n";
}

}  // namespace ringside::cli
