// `ringside presets`: the ready-made runs, and what this machine lacks for them; with --settings
// the settings that can be changed.
#include <algorithm>
#include <array>
#include <string_view>

#include "gui/cli/command/commands.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/preflight/readiness.h"
#include "gui/view/table_cells.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::cli {
namespace {

constexpr int kMostColumns = 120;

struct Row {
  launch::Preset preset;
  launch::LoadedPreset loaded;
  launch::Readiness here;
};

Result<std::vector<Row>> all_presets() {
  const auto found = RINGSIDE_TRY(launch::presets());
  const auto machine = RINGSIDE_TRY(launch::read_machine());
  std::vector<Row> rows;
  for (const auto& preset : found) {
    auto loaded = RINGSIDE_TRY(launch::load_preset(preset.path.string()));
    const auto here = launch::readiness(loaded, loaded.file.spec.full, false, machine);
    rows.push_back({preset, std::move(loaded), here});
  }
  return rows;
}

using view::hidden;
using view::number_column;
using view::text_cell;

view::Cell here_cell(const Row& row) {
  if (row.here.ready) return {true, "yes", view::Tone::kOk};
  if (row.loaded.file.spec.quick) return {false, "--quick", view::Tone::kWarning};
  return {false, "no", view::Tone::kError};
}

view::Table presets_table(const std::vector<Row>& rows) {
  view::Table table{"presets", "Presets"};
  for (const auto& row : rows) {
    const auto& about = row.loaded.file.about;
    const auto& spec = row.loaded.file.spec.full;
    const std::string batch = std::to_string(spec.batch.size) +
                              (spec.batch.meaning == "global" ? " in all" : " per rank");
    view::add_entries(table,
                      {{{"name", "preset"}, text_cell(row.preset.name)},
                       {{"title", "what it is"}, text_cell(row.preset.title)},
                       hidden("path", row.preset.path.string()),
                       hidden("experiment", about.experiment),
                       {number_column("ranks", "ranks"), view::count_cell(spec.devices.world_size)},
                       hidden("world_sizes"),
                       hidden("parallel", spec.devices.parallel),
                       {{"model", "model"}, text_cell(spec.model.name)},
                       {{"data", "data"}, text_cell(spec.data.name)},
                       {number_column("batch", "batch"), {spec.batch.size, batch}},
                       hidden("batch_meaning", spec.batch.meaning),
                       hidden("epochs", spec.train.epochs),
                       hidden("quick", row.loaded.file.spec.quick.has_value()),
                       {{"can_run", "runs here"}, here_cell(row)},
                       hidden("why_not", row.here.why),
                       hidden("then", row.here.then)});
  }
  return table;
}

Result<int> list_presets(bool json) {
  const auto rows = RINGSIDE_TRY(all_presets());
  const view::Table table = presets_table(rows);
  if (json) {
    Json all = rows_json(table);
    for (std::size_t i = 0; i < rows.size(); ++i)
      all[i]["world_sizes"] = rows[i].loaded.file.about.world_sizes;
    print(stdout, dump(all, 2) + "\n");
    return 0;
  }
  std::string missing;
  for (const auto& row : rows) {
    if (row.here.ready) continue;
    // The driver's problem is the same for all presets.
    const auto because = row.here.why.find(" (");
    const bool known = because != std::string::npos &&
                       missing.find(row.here.why.substr(because)) != std::string::npos;
    missing += "  " + (known ? row.here.why.substr(0, because) : row.here.why) + "\n";
  }
  static constexpr std::array<std::string_view, 7> kPrinted{"name",  "ranks",   "model", "data",
                                                            "batch", "can_run", "title"};
  std::string text = table_text(view::with_columns(table, kPrinted), wants_color(stdout));
  if (!missing.empty())
    text += "\nMissing on this machine for the recipes as published:\n" + missing;
  print(stdout, text);
  return 0;
}

// ---- --settings ---------------------------------------------------------------------------------

Json default_of(const std::string& key, const Json& defaults) {
  const auto dot = key.find('.');
  return dot == key.npos ? defaults.at(key)
                         : defaults.at(key.substr(0, dot)).at(key.substr(dot + 1));
}

// Description of the setting, and when it applies.
std::string told(const messages::Field& field) {
  std::string text = std::string(field.label) + ". " + std::string(field.meaning);
  if (const auto unset = messages::unset_text(field); !unset.empty()) text += "; " + unset;
  std::string when(field.applies.words);
  if (field.needs_gpu) when += std::string(when.empty() ? "" : " and ") + "ranks have GPUs";
  return text + (when.empty() ? "." : ". Applies when " + when + ".");
}

view::Table settings_table() {
  view::Table table{"settings", "Settings"};
  for (const messages::Setting& setting : messages::settings()) {
    const messages::Field& field = setting.field;
    const bool bounded = messages::has_range(field);
    const std::string unit(field.unit);
    std::string range = messages::range_text(field);
    for (const std::string& word : messages::words_of(field)) add_listed(range, word);
    view::add_entries(
        table, {{{"key", "setting"}, text_cell(setting.key)},
                hidden("label", std::string(field.label)),
                hidden("type", setting.type),
                {{"default", "default"}, {{}, setting.standard + (unit.empty() ? "" : " " + unit)}},
                hidden("unit", unit),
                {{"min", "range"}, {bounded ? field.least : view::CellValue(), range}},
                hidden("max", bounded ? field.most : view::CellValue()),
                hidden("choices"),
                hidden("unset", std::string(field.unset)),
                hidden("applies_when", std::string(field.applies.words)),
                hidden("needs_gpu", field.needs_gpu),
                {{"meaning", "meaning"}, {std::string(field.meaning), told(field)}}});
  }
  return table;
}

int list_settings(bool json) {
  const view::Table table = settings_table();
  if (!json) {
    const auto room =
        is_terminal(stdout) ? std::min(columns_of(stdout), kMostColumns) : kMostColumns;
    static constexpr std::array<std::string_view, 4> kPrinted{"key", "default", "min", "meaning"};
    print(stdout, table_text(view::with_columns(table, kPrinted), wants_color(stdout),
                             static_cast<std::size_t>(room)));
    return 0;
  }
  Json all = rows_json(table);
  const Json defaults = spec_json({});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const messages::Setting& setting = messages::settings()[i];
    all[i]["default"] = default_of(setting.key, defaults);
    all[i]["choices"] = messages::words_of(setting.field);
  }
  print(stdout, dump(all, 2) + "\n");
  return 0;
}

}  // namespace

void add_presets(Command& app) {
  auto options = std::make_shared<CommonOptions>();
  auto settings = std::make_shared<bool>(false);
  Command command = app.add_command(
      "presets", "Presets: runs and studies ready to start, and what is missing here for them");
  command.add_flag("--settings", *settings,
                   "All settings of a run instead: default, unit, range, when each applies and "
                   "what it means");
  add_json(command, *options, "One JSON array of objects");
  command.action([options, settings] {
    return *settings ? list_settings(options->json) : list_presets(options->json);
  });
}

}  // namespace ringside::cli
