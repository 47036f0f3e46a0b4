// Ready-made experiments: TOML files in the assets folder, the first comment line of each being its
// title. Reads files; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages/run_spec.h"

namespace ringside::launch {

struct Preset {
  std::string name;   ///< "demo": the file name without .toml
  std::string title;  ///< first comment line
  std::filesystem::path path;
};

/// All presets, by name.
Result<std::vector<Preset>> presets();

/// The spec of a preset by name, or of a file when `text` has a '/' or ends in .toml. A bad request
/// names the nearest preset, or the file and line.
Result<messages::RunSpec> load_spec(std::string_view text);

/// `assignments` over `spec` in the order defaults < file < environment < --set; the first two are
/// in `spec` already. From the environment come RINGSIDE_SET_<SECTION>_<KEY>, e.g.
/// RINGSIDE_SET_TRAIN_EPOCHS=1, and RINGSIDE_SET_NAME.
Result<messages::RunSpec> resolve_spec(messages::RunSpec spec,
                                       const std::vector<std::string>& environment,
                                       const std::vector<std::string>& assignments);

/// This process's environment as NAME=value.
std::vector<std::string> process_environment();

}  // namespace ringside::launch
