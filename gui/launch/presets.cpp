#include "gui/launch/presets.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <system_error>

#include "gui/launch/paths.h"
#include "protocol/base/nearest.h"
#include "protocol/base/variables.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;
using messages::RunSpec;

std::string title_of(const fs::path& path) {
  const auto text = read_text(path);
  if (!text || !text->starts_with("#")) return {};
  const auto begin = text->find_first_not_of("# ");
  const auto end = text->find('\n');
  return begin < end ? text->substr(begin, end - begin) : std::string();
}

Result<LoadedPreset> read_preset(const fs::path& path) {
  auto text = read_text(path, std::size_t{1} << 20);
  if (!text) return tl::unexpected<Error>(Error{ErrorKind::kRequest, text.error().message});
  auto file = RINGSIDE_TRY(parse_preset(*text, path.string()));
  return LoadedPreset{path.stem().string(), std::move(*text), std::move(file)};
}

// Maps variables to fields, RINGSIDE_SET_TRAIN_EPOCHS -> train.epochs, for all fields.
std::map<std::string, std::string> variable_names() {
  std::map<std::string, std::string> names;
  for (const messages::Setting& setting : messages::settings()) {
    std::string variable = "RINGSIDE_SET_" + setting.key;
    for (char& c : variable) {
      c = c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    names[variable] = setting.key;
  }
  return names;
}

Result<void> apply_environment(RunSpec& spec, const std::vector<std::string>& environment) {
  const auto names = variable_names();
  for (const auto& entry : environment) {
    if (!entry.starts_with("RINGSIDE_SET_")) continue;
    const auto equals = std::min(entry.find('='), entry.size());
    const std::string variable = entry.substr(0, equals);
    const auto found = names.find(variable);
    if (found == names.end()) {
      std::vector<std::string> known;
      for (const auto& [name, key] : names) known.push_back(name);
      return bad_request("unknown environment variable " + variable + suggestion(variable, known));
    }
    const auto set = messages::set_field(spec, found->second + entry.substr(equals));
    if (!set) return bad_request(variable + ": " + set.error().message);
  }
  return {};
}

}  // namespace

Result<std::vector<Preset>> presets() {
  const auto assets = RINGSIDE_TRY(assets_folder());
  std::vector<Preset> found;
  std::error_code error;
  for (fs::directory_iterator it(assets / "presets", error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".toml") {
      found.push_back({it->path().stem().string(), title_of(it->path()), it->path()});
    }
  }
  if (error)
    return failure("cannot read " + (assets / "presets").string() + ": " + error.message());
  std::ranges::sort(found, [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

Result<LoadedPreset> load_preset(std::string_view what) {
  if (what.find('/') != what.npos || what.ends_with(".toml")) return read_preset(fs::path(what));
  const auto known = RINGSIDE_TRY(presets());
  std::vector<std::string> names;
  for (const auto& preset : known) {
    if (preset.name == what) return read_preset(preset.path);
    names.push_back(preset.name);
  }
  return bad_request("there is no preset \"" + std::string(what) + "\"" + suggestion(what, names) +
                     "; a file is named with its .toml");
}

Result<RunSpec> settings_of(const LoadedPreset& preset, bool quick) {
  if (!quick) return preset.file.spec.full;
  if (preset.file.spec.quick) {
    RunSpec spec = *preset.file.spec.quick;
    // The name is marked, so that a small run on generated data is not taken for the full recipe.
    spec.name = (spec.name.empty() ? preset.name : spec.name) + " (quick)";
    return spec;
  }
  return bad_request(
      preset.name +
      " has no quick scale: a table [quick] in its file would hold the settings that "
      "differ");
}

Result<RunSpec> resolve_spec(RunSpec spec, const std::vector<std::string>& environment,
                             const std::vector<std::string>& assignments) {
  RINGSIDE_TRY(apply_environment(spec, environment));
  for (const auto& assignment : assignments) {
    RINGSIDE_TRY(messages::set_field(spec, assignment));
  }
  return spec;
}

std::vector<std::string> process_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

}  // namespace ringside::launch
