// Ready-made runs with their baselines: TOML files in the assets folder. The first comment line of
// each is its title. Reads files; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/preset_file.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

struct Preset {
  std::string name;   ///< "demo": the file name without .toml
  std::string title;  ///< the first comment line
  std::filesystem::path path;
};

/// All presets, sorted by name.
Result<std::vector<Preset>> presets();

struct LoadedPreset {
  std::string name;  ///< name of the preset, or of the file without .toml
  std::string text;  ///< text of the whole file
  PresetFile file;
};

/// Loads a preset by name, or a file if `what` has a '/' or ends in .toml. A bad request names the
/// nearest preset, or the file and line.
Result<LoadedPreset> load_preset(std::string_view what);

/// The preset's settings at the quick scale, or at the scale of the recipe. Returns a bad request
/// if it has no quick scale.
Result<messages::RunSpec> settings_of(const LoadedPreset& preset, bool quick);

/// Applies the environment and then `assignments` to `spec`; the whole order is defaults < file <
/// environment < --set. The environment has RINGSIDE_SET_<SECTION>_<KEY>, e.g.
/// RINGSIDE_SET_TRAIN_EPOCHS=1, and RINGSIDE_SET_NAME.
Result<messages::RunSpec> resolve_spec(messages::RunSpec spec,
                                       const std::vector<std::string>& environment,
                                       const std::vector<std::string>& assignments);

/// The environment of this process as NAME=value.
std::vector<std::string> process_environment();

}  // namespace ringside::launch
