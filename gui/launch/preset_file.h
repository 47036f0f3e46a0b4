// A preset file: settings at the scale of the recipe and at the quick scale, a description of the
// recipe, and the figures that its authors published. assets/presets/FORMAT.md describes it. Plain
// data and pure functions, and functions that read files; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// The settings of the recipe as published, and those of the quick scale, which overrides some of
/// them.
struct PresetSpec {
  messages::RunSpec full;
  std::optional<messages::RunSpec> quick;  ///< nothing if the file has no table [quick]
};

/// One published number, or sentence, with the condition under which it holds.
struct PublishedFigure {
  std::string what;             ///< one of published_names()
  std::string printed;          ///< as printed in the source
  std::optional<double> value;  ///< the number in it, shares as 0 .. 1; nothing if what = "text"
  std::optional<std::int64_t> ranks;   ///< number of devices for which it holds; nothing: any
  bool derived = false;                ///< computed from what the source says
  std::string clock = "unstated";      ///< for a time: one of published_clocks()
  std::string against = "one_device";  ///< for a comparison: with what, or "same_devices"

  RINGSIDE_FIELDS(what, printed, value, ranks, derived, clock, against)
  /// Why the figure cannot be used, as text that follows its name; empty: it can.
  std::string problem() const;
};

/// A table of the source, with its cells as printed.
struct PublishedTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  RINGSIDE_FIELDS(title, columns, rows)
  std::string problem() const;  ///< as for a figure
};

/// A pass criterion of a source: compared with the baseline, on exactly this number of devices.
struct PublishedGate {
  std::int64_t ranks = 2;
  double least_time_cut = 0;      ///< share of the baseline's time, 0 .. 1
  double val_accuracy_above = 0;  ///< 0 .. 1

  RINGSIDE_FIELDS(ranks, least_time_cut, val_accuracy_above)
};

struct Published {
  std::string source;  ///< empty: nothing was published
  std::string hardware;
  std::vector<std::string> notes;
  std::vector<PublishedFigure> figures;
  std::vector<PublishedTable> tables;
  std::optional<PublishedGate> gate;

  RINGSIDE_FIELDS(source, hardware, notes, figures, tables, gate)
};

struct PresetAbout {
  std::string experiment;                 ///< "E0"; empty: one of ours
  std::string launch;                     ///< how its authors start it
  std::vector<std::int64_t> world_sizes;  ///< numbers of devices that the recipe is meant for
  std::vector<std::string> unstated;      ///< settings that the source does not state and we chose
  std::string needs;                      ///< setting that gets its value only from another run
  std::string needs_hint;

  RINGSIDE_FIELDS(experiment, launch, world_sizes, unstated, needs, needs_hint)
};

struct PresetFile {
  PresetSpec spec;
  PresetAbout about;
  Published published;
};

/// Names of the figures, in the order of display.
const std::vector<std::string>& published_names();

/// What the times of a source include: "train_pass" (only the passes over the training data),
/// "first_step_to_end", "whole_run" (with start-up and all evaluation), or "unstated".
const std::vector<std::string>& published_clocks();

/// Whether a figure is a time or depends on one.
inline bool is_timed(std::string_view what) {
  return what == "epoch_seconds" || what == "samples_per_s" || what == "total_seconds" ||
         what == "time_cut" || what == "speedup" || what == "efficiency";
}

/// Parses a preset or a settings file. A bad request names the key, the line and the nearest known
/// name.
Result<PresetFile> parse_preset(std::string_view toml, std::string_view origin);

/// The copy of the preset in a run folder, with its name; nothing if it is missing or cannot be
/// read.
struct NamedPreset {
  std::string name;
  PresetFile file;
};
std::optional<NamedPreset> preset_of_run(const std::filesystem::path& run_folder);

/// Path of the copy of a preset: NAME.preset.toml in the run folder.
std::filesystem::path preset_copy_path(const std::filesystem::path& run_folder,
                                       const std::string& name);

}  // namespace ringside::launch
