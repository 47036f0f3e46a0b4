#include "gui/launch/study_preset.h"

#include <algorithm>
#include <system_error>

#include "gui/launch/paths.h"
#include "protocol/base/byte_file.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

Result<StudyPreset> read_study_preset(const fs::path& path) {
  const auto text = read_text(path, std::size_t{1} << 20);
  if (!text) return pass(text);
  const auto table = messages::parse_toml(*text, path.string());
  if (!table) return pass(table);
  StudyPreset study;
  messages::TomlReader reader(*table, path.string());
  reader("preset", study.preset);
  StudyScale::fields(study.full, reader);
  if (reader.has("quick")) study.quick = study.full;
  reader("quick", study.quick);
  reader("sources", study.sources);
  if (auto read = reader.finish(); !read) return pass(read);
  study.name = path.stem().string();
  const std::size_t line = std::min(text->find('\n'), text->size());
  if (text->starts_with("# ")) study.title = text->substr(2, line - 2);
  return study;
}

const StudyScale& scale_of(const StudyPreset& study, bool quick) {
  return quick && study.quick ? *study.quick : study.full;
}

}  // namespace

Result<std::vector<StudyPreset>> study_presets() {
  const auto assets = assets_folder();
  if (!assets) return pass(assets);
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(*assets / "studies", error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".toml") paths.push_back(it->path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<StudyPreset> studies;
  for (const fs::path& path : paths) {
    auto study = read_study_preset(path);
    if (!study) return pass(study);
    studies.push_back(std::move(*study));
  }
  return studies;
}

Result<std::optional<StudyPreset>> find_study_preset(std::string_view name) {
  auto all = study_presets();
  if (!all) return pass(all);
  for (StudyPreset& study : *all) {
    if (study.name == name) return std::optional(std::move(study));
  }
  return std::optional<StudyPreset>();
}

Result<SweepRequest> request_of(const StudyPreset& study, bool quick) {
  const StudyScale& scale = scale_of(study, quick);
  SweepRequest request;
  std::string world;
  for (const std::int64_t devices : scale.world)
    world += (world.empty() ? "" : ",") + std::to_string(devices);
  for (const std::string& one : scale.nodes) world += (world.empty() ? "" : ",") + one;
  auto parsed = parse_world(world);
  if (!parsed) return pass(parsed);
  request.world = std::move(*parsed);
  std::string variants;
  for (const std::string& one : scale.variants) variants += (variants.empty() ? "" : ",") + one;
  auto words = parse_variants(variants);
  if (!words) return pass(words);
  request.variants = std::move(*words);
  request.repeats = std::max<std::int64_t>(1, scale.repeats);
  for (const std::string& series : scale.series) {
    request.weak = request.weak || series == "weak";
    request.strong = request.strong || series == "strong";
  }
  return request;
}

Result<messages::RunSpec> recipe_of(const StudyPreset& study, const LoadedPreset& preset,
                                    bool quick) {
  auto spec = settings_of(preset, quick);
  if (!spec) return pass(spec);
  for (const std::string& assignment : scale_of(study, quick).set) {
    if (const auto set = messages::set_field(*spec, assignment); !set) return pass(set);
  }
  return spec;
}

}  // namespace ringside::launch
