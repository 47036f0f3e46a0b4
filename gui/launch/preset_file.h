// A preset file: settings at the scale of the recipe and at the quick scale, what the recipe is,
// and the figures that its authors published. assets/presets/FORMAT.md describes it. Plain data and
// pure functions, plus the reading of files; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages/preset_spec.h"

namespace ringside::launch {

/// One published number, or sentence, with the condition under which it holds.
struct PublishedFigure {
  std::string what;             ///< one of published_names()
  std::string printed;          ///< as the source prints it
  std::optional<double> value;  ///< the number in it, shares as 0 .. 1; nothing for what = "text"
  std::optional<std::int64_t> ranks;  ///< holds for so many devices; nothing: for all
  bool derived = false;               ///< worked out from what the source says
};

/// A table of the source, cell by cell as printed.
struct PublishedTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Pass or fail, as a source sets it: against the baseline on exactly so many devices.
struct PublishedGate {
  std::int64_t ranks = 2;
  double least_time_cut = 0;      ///< share of the baseline's time, 0 .. 1
  double val_accuracy_above = 0;  ///< 0 .. 1
};

struct Published {
  std::string source;  ///< empty: nothing is published
  std::string hardware;
  std::vector<std::string> notes;
  std::vector<PublishedFigure> figures;
  std::vector<PublishedTable> tables;
  std::optional<PublishedGate> gate;
};

struct PresetAbout {
  std::string experiment;                 ///< "E0"; empty: ours
  std::string launch;                     ///< how its authors start it
  std::vector<std::int64_t> world_sizes;  ///< the recipe is meant for
  std::vector<std::string> unstated;      ///< settings that are our choice
  std::string needs;  ///< setting that has no value before another run has ended
  std::string needs_hint;
};

struct PresetFile {
  messages::PresetSpec spec;
  PresetAbout about;
  Published published;
};

/// The figures that may be named, in the order in which they are shown.
const std::vector<std::string>& published_names();

/// Reads a preset or an experiment file. A bad request names the key, the line and the nearest
/// known name.
Result<PresetFile> parse_preset(std::string_view toml, std::string_view origin);

/// The copy of the preset in a run folder, with its name; nothing where there is none or it cannot
/// be read.
struct NamedPreset {
  std::string name;
  PresetFile file;
};
std::optional<NamedPreset> preset_of_run(const std::filesystem::path& run_folder);

/// Where that copy lies: NAME.preset.toml in the run folder.
std::filesystem::path preset_copy_path(const std::filesystem::path& run_folder,
                                       const std::string& name);

}  // namespace ringside::launch
