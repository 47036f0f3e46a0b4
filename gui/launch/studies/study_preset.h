// Ready-made studies: TOML files in assets/studies, each with a recipe and the settings to measure.
// assets/studies/FORMAT.md describes them. Reads files; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/presets.h"
#include "gui/launch/studies/study_settings.h"
#include "protocol/base/fields.h"

namespace ringside::launch {

/// The preset whose published figures belong to one setting.
struct StudySource {
  std::string setting;  ///< "dp-4"
  std::string preset;

  RINGSIDE_FIELDS(setting, preset)
};

struct StudyScale {
  std::vector<std::int64_t> world;
  std::vector<std::string> nodes;  ///< "2x3": nodes x devices of each
  std::int64_t repeats = 0;
  std::vector<std::string> series;    ///< weak, strong; empty: as in the recipe
  std::vector<std::string> variants;  ///< "dp@4"
  std::vector<std::string> set;       ///< "train.epochs=1"

  RINGSIDE_FIELDS(world, nodes, repeats, series, variants, set)
};

struct StudyPreset {
  std::string name;   ///< name of the file, without .toml
  std::string title;  ///< its first comment line
  std::string preset;
  StudyScale full;
  std::optional<StudyScale> quick;  ///< overrides parts of the full scale
  std::vector<StudySource> sources;
};

/// All ready-made studies, sorted by name; none if their folder does not exist.
Result<std::vector<StudyPreset>> study_presets();
/// Nothing if no study has that name.
Result<std::optional<StudyPreset>> find_study_preset(std::string_view name);

/// The request in the study's file at one scale. A bad request says what is wrong with the file.
Result<StudyRequest> request_of(const StudyPreset& study, bool quick);
/// The settings of the study's recipe at that scale.
Result<messages::RunSpec> recipe_of(const StudyPreset& study, const LoadedPreset& preset,
                                    bool quick);

}  // namespace ringside::launch
