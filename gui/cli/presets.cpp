// `ringside presets`: what is ready to run, and what this machine lacks for it; with --settings
// what can be set.
#include "gui/cli/commands.h"
#include "gui/cli/json.h"
#include "gui/cli/terminal.h"
#include "gui/launch/readiness.h"
#include "protocol/messages/batch_facts.h"
#include "protocol/messages/settings.h"

namespace ringside::cli {
namespace {

struct Row {
  launch::Preset preset;
  launch::LoadedPreset loaded;
  launch::Readiness here;
};

Result<std::vector<Row>> all_presets() {
  const auto found = launch::presets();
  if (!found) return pass(found);
  const auto machine = launch::read_machine();
  if (!machine) return pass(machine);
  std::vector<Row> rows;
  for (const auto& preset : *found) {
    auto loaded = launch::load_preset(preset.path.string());
    if (!loaded) return pass(loaded);
    const auto here = launch::readiness(*loaded, loaded->file.spec.full, false, *machine);
    rows.push_back({preset, std::move(*loaded), here});
  }
  return rows;
}

std::string batch_of(const messages::RunSpec& spec) {
  return std::to_string(spec.batch.size) +
         (spec.batch.meaning == "global" ? " in all" : " per rank");
}

Json json_of(const Row& row) {
  const auto& spec = row.loaded.file.spec.full;
  return {{"name", row.preset.name},
          {"title", row.preset.title},
          {"path", row.preset.path.string()},
          {"experiment", row.loaded.file.about.experiment},
          {"ranks", spec.devices.world_size},
          {"world_sizes", row.loaded.file.about.world_sizes},
          {"parallel", spec.devices.parallel},
          {"model", spec.model.name},
          {"data", spec.data.name},
          {"batch", spec.batch.size},
          {"batch_meaning", spec.batch.meaning},
          {"epochs", spec.train.epochs},
          {"quick", row.loaded.file.spec.quick.has_value()},
          {"can_run", row.here.ready},
          {"why_not", row.here.why},
          {"then", row.here.then}};
}

std::vector<std::string> cells_of(const Row& row, bool color) {
  const auto& spec = row.loaded.file.spec.full;
  const std::string here = row.here.ready ? painted("yes", view::Tone::kOk, color)
                           : row.loaded.file.spec.quick
                               ? painted("--quick", view::Tone::kWarning, color)
                               : painted("no", view::Tone::kError, color);
  return {row.preset.name, std::to_string(spec.devices.world_size),
          spec.model.name, spec.data.name,
          batch_of(spec),  here,
          row.preset.title};
}

int list_presets(bool json) {
  const auto rows = all_presets();
  if (!rows) return report(rows.error());
  Json all = Json::array();
  const bool color = wants_color(stdout);
  std::vector<std::vector<std::string>> table{
      head_row({"preset", "ranks", "model", "data", "batch", "runs here", "what it is"}, color)};
  std::string missing;
  for (const auto& row : *rows) {
    all.push_back(json_of(row));
    table.push_back(cells_of(row, color));
    if (row.here.ready) continue;
    // The driver's problem is the same for all of them.
    const auto because = row.here.why.find(" (");
    const bool known = because != std::string::npos &&
                       missing.find(row.here.why.substr(because)) != std::string::npos;
    missing += "  " + (known ? row.here.why.substr(0, because) : row.here.why) + "\n";
  }
  std::string text = table_text(table, {false, true, false, false, true, false, false});
  if (!missing.empty())
    text += "\nMissing on this machine for the recipes as published:\n" + missing;
  print(stdout, json ? dump(all, 2) + "\n" : text);
  return 0;
}

// ---- --settings ---------------------------------------------------------------------------------

Json default_of(const std::string& key, const Json& defaults) {
  const auto dot = key.find('.');
  return dot == key.npos ? defaults.at(key)
                         : defaults.at(key.substr(0, dot)).at(key.substr(dot + 1));
}

Json json_of(const messages::Setting& setting, const Json& defaults) {
  const messages::Field& field = setting.field;
  const bool bounded = messages::has_range(field);
  return {{"key", setting.key},
          {"label", field.label},
          {"type", setting.type},
          {"default", default_of(setting.key, defaults)},
          {"unit", field.unit},
          {"min", bounded ? Json(field.least) : Json(nullptr)},
          {"max", bounded ? Json(field.most) : Json(nullptr)},
          {"choices", messages::words_of(field)},
          {"unset", field.unset},
          {"applies_when", field.applies.words},
          {"needs_gpu", field.needs_gpu},
          {"meaning", field.meaning}};
}

std::vector<std::string> cells_of(const messages::Setting& setting) {
  const messages::Field& field = setting.field;
  std::string range = messages::range_text(field);
  for (const std::string& word : messages::words_of(field))
    range += (range.empty() ? "" : ", ") + word;
  std::string when(field.applies.words);
  if (field.needs_gpu) when += std::string(when.empty() ? "" : ", and ") + "ranks have GPUs";
  const std::string unset = messages::unset_text(field);
  return {setting.key,
          setting.type,
          setting.standard,
          std::string(field.unit),
          range,
          when,
          std::string(field.label) + ". " + std::string(field.meaning) +
              (unset.empty() ? "." : "; " + unset + ".")};
}

int list_settings(bool json) {
  const bool color = wants_color(stdout);
  std::vector<std::vector<std::string>> table{
      head_row({"setting", "type", "default", "unit", "range", "applies when", "meaning"}, color)};
  Json all = Json::array();
  const Json defaults = spec_json({});
  for (const messages::Setting& setting : messages::settings()) {
    all.push_back(json_of(setting, defaults));
    table.push_back(cells_of(setting));
  }
  print(stdout, json ? dump(all, 2) + "\n" : table_text(table, std::vector<bool>(7, false)));
  return 0;
}

}  // namespace

void add_presets(Command& app) {
  auto options = std::make_shared<CommonOptions>();
  auto settings = std::make_shared<bool>(false);
  Command command = app.add_command(
      "presets", "Experiments that are ready to run, and what is missing here for them");
  command.add_flag("--settings", *settings,
                   "All settings of a run instead: default, unit, range, when each applies and "
                   "what it means");
  add_json(command, *options, "One JSON array of objects");
  command.action([options, settings] {
    return *settings ? list_settings(options->json) : list_presets(options->json);
  });
}

}  // namespace ringside::cli
