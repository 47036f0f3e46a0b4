#include "gui/launch/studies/study_preset.h"

#include <algorithm>
#include <system_error>

#include "gui/launch/paths.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/toml_fields.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

Result<StudyPreset> read_study_preset(const fs::path& path) {
  const auto text = RINGSIDE_TRY(read_text(path, std::size_t{1} << 20));
  const auto table = RINGSIDE_TRY(messages::parse_toml(text, path.string()));
  StudyPreset study;
  messages::TomlReader reader(table, path.string());
  reader("preset", study.preset);
  StudyScale::fields(study.full, reader);
  if (reader.has("quick")) study.quick = study.full;
  reader("quick", study.quick);
  reader("sources", study.sources);
  RINGSIDE_TRY(reader.finish());
  study.name = path.stem().string();
  const std::size_t line = std::min(text.find('\n'), text.size());
  if (text.starts_with("# ")) study.title = text.substr(2, line - 2);
  return study;
}

const StudyScale& scale_of(const StudyPreset& study, bool quick) {
  return quick && study.quick ? *study.quick : study.full;
}

}  // namespace

Result<std::vector<StudyPreset>> study_presets() {
  const auto assets = RINGSIDE_TRY(assets_folder());
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(assets / "studies", error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".toml") paths.push_back(it->path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<StudyPreset> studies;
  for (const fs::path& path : paths) {
    auto study = RINGSIDE_TRY(read_study_preset(path));
    studies.push_back(std::move(study));
  }
  return studies;
}

Result<std::optional<StudyPreset>> find_study_preset(std::string_view name) {
  auto all = RINGSIDE_TRY(study_presets());
  for (StudyPreset& study : all) {
    if (study.name == name) return std::optional(std::move(study));
  }
  return std::optional<StudyPreset>();
}

Result<StudyRequest> request_of(const StudyPreset& study, bool quick) {
  const StudyScale& scale = scale_of(study, quick);
  StudyRequest request;
  std::string world;
  for (const std::int64_t devices : scale.world)
    world += (world.empty() ? "" : ",") + std::to_string(devices);
  for (const std::string& one : scale.nodes) world += (world.empty() ? "" : ",") + one;
  auto parsed = RINGSIDE_TRY(parse_world(world));
  request.world = std::move(parsed);
  std::string variants;
  for (const std::string& one : scale.variants) variants += (variants.empty() ? "" : ",") + one;
  auto words = RINGSIDE_TRY(parse_variants(variants));
  request.variants = std::move(words);
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
    RINGSIDE_TRY(messages::set_field(*spec, assignment));
  }
  return spec;
}

}  // namespace ringside::launch
