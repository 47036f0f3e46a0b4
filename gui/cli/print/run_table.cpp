#include "gui/cli/print/run_table.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/runs/run_figures.h"
#include "gui/view/number_format.h"
#include "gui/view/table_cells.h"
#include "gui/view/table_filter.h"
#include "protocol/base/nearest.h"
#include "protocol/messages/spec/settings.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

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
  return {
      {{"id", "id"}, view::text_cell(run.folder.id())},
      {number_column("number", "run"), {run.number, runs::label_of(run)}},
      {{"name", "name"}, {run.name, cut_to(one_line(run.name), kNameWidth)}},
      hidden("folder", run.folder.path().string()),
      {{"state", "state"}, {run.state.word, state.word, state.tone}},
      hidden("detail", run.state.detail),
      hidden("live", run.state.live),
      hidden("recipe", run.recipe),
      hidden("tags", if_any(runs::tags_text(run.labels.tags))),
      hidden("note", if_any(run.labels.note)),
      {number_column("world_size", "ranks"), {run.ranks, view::known_count_cell(run.ranks).text}},
      {number_column("global_batch", "batch"), view::known_count_cell(run.global_batch)},
      hidden("steps", figures.steps),
      hidden("steps_planned", figures.steps_planned),
      hidden("seconds", figures.seconds),
      number("train_seconds", "training", figures.train_seconds, view::seconds_text),
      number("samples_per_s", "samples/s", figures.samples_per_s, view::rate_text),
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

/// The value of a setting in a run.
view::Cell setting_cell(const runs::RunSummary& run, const std::string& key) {
  view::Cell cell = view::unknown_cell();
  if (!run.spec_read || !messages::is_told(run.spec, key)) return cell;
  messages::each_setting(run.spec,
                         [&]<class T>(const std::string& one, const auto&, const T& value) {
                           if (one != key) return;
                           if constexpr (std::is_same_v<T, bool>) {
                             cell = view::yes_no_cell(value);
                           } else if constexpr (std::is_integral_v<T>) {
                             cell = {static_cast<std::int64_t>(value), std::to_string(value)};
                           } else if constexpr (std::is_same_v<T, std::string>) {
                             cell = view::word_cell(one_line(value));
                           } else if constexpr (std::is_floating_point_v<T>) {
                             cell = {static_cast<double>(value), messages::toml_text(value)};
                           } else {
                             cell = view::text_cell(one_line(messages::toml_text(value)));
                           }
                         });
  return cell;
}

/// The settings that a person's name may refer to.
std::vector<std::string> settings_called(const std::string& name) {
  std::vector<std::string> keys;
  for (const messages::Setting& setting : messages::settings()) {
    if (setting.key == name) return {name};
    if (setting.key.ends_with("." + name)) keys.push_back(setting.key);
  }
  return keys;
}

}  // namespace

Result<std::string> run_column(view::Table& table, std::span<const runs::RunSummary> runs,
                               const std::string& name) {
  const std::size_t column = view::named_column(table.columns, name);
  if (column < table.columns.size()) return table.columns[column].key;
  const std::vector<std::string> found = settings_called(name);
  if (found.size() == 1) {
    table.columns.push_back(number_column(found.front(), found.front()));
    for (std::size_t i = 0; i < runs.size(); ++i)
      table.rows[i].cells.push_back(setting_cell(runs[i], found.front()));
    return found.front();
  }
  std::vector<std::string> known = found;
  if (known.empty()) {
    for (const auto& one : table.columns) known.push_back(one.key);
    for (const auto& one : messages::settings()) known.push_back(one.key);
    const std::string nearest = nearest_name(name, known);
    return bad_request("no column and no setting is called " + name +
                       (nearest.empty() ? "; `ringside list --json` has the columns, `ringside "
                                          "presets --settings` the settings"
                                        : ", did you mean \"" + nearest + "\"?"));
  }
  return bad_request(name + " may be " + fmt::format("{}", fmt::join(known, ", ")) +
                     ": write which one");
}

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
