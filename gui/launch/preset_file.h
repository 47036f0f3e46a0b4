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

#include "protocol/base/fields.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// The settings: those of the recipe as it was published, and those of the quick scale, which are
/// the same with some read over them.
struct PresetSpec {
  messages::RunSpec full;
  std::optional<messages::RunSpec> quick;  ///< nothing where the file has no table [quick]
};

/// One published number, or sentence, with the condition under which it holds.
struct PublishedFigure {
  std::string what;             ///< one of published_names()
  std::string printed;          ///< as the source prints it
  std::optional<double> value;  ///< the number in it, shares as 0 .. 1; nothing for what = "text"
  std::optional<std::int64_t> ranks;   ///< holds for so many devices; nothing: for all
  bool derived = false;                ///< worked out from what the source says
  std::string clock = "unstated";      ///< of a time: one of published_clocks()
  std::string against = "one_device";  ///< of a comparison: with what, or "same_devices"

  RINGSIDE_FIELDS(what, printed, value, ranks, derived, clock, against)
  /// Why it cannot be used, to follow its name; empty: it can.
  std::string problem() const;
};

/// A table of the source, cell by cell as printed.
struct PublishedTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  RINGSIDE_FIELDS(title, columns, rows)
  std::string problem() const;  ///< as of a figure
};

/// Pass or fail, as a source sets it: against the baseline on exactly so many devices.
struct PublishedGate {
  std::int64_t ranks = 2;
  double least_time_cut = 0;      ///< share of the baseline's time, 0 .. 1
  double val_accuracy_above = 0;  ///< 0 .. 1

  RINGSIDE_FIELDS(ranks, least_time_cut, val_accuracy_above)
};

struct Published {
  std::string source;  ///< empty: nothing is published
  std::string hardware;
  std::vector<std::string> notes;
  std::vector<PublishedFigure> figures;
  std::vector<PublishedTable> tables;
  std::optional<PublishedGate> gate;

  RINGSIDE_FIELDS(source, hardware, notes, figures, tables, gate)
};

struct PresetAbout {
  std::string experiment;                 ///< "E0"; empty: ours
  std::string launch;                     ///< how its authors start it
  std::vector<std::int64_t> world_sizes;  ///< the recipe is meant for
  std::vector<std::string> unstated;      ///< settings that are our choice
  std::string needs;  ///< setting that has no value before another run has ended
  std::string needs_hint;

  RINGSIDE_FIELDS(experiment, launch, world_sizes, unstated, needs, needs_hint)
};

struct PresetFile {
  PresetSpec spec;
  PresetAbout about;
  Published published;
};

/// The figures that may be named, in the order in which they are shown.
const std::vector<std::string>& published_names();

/// What the stopwatch of a source covers: "train_pass" (the passes over the training data alone),
/// "first_step_to_end", "whole_run" (start-up and all evaluation inside), or "unstated".
const std::vector<std::string>& published_clocks();

/// Whether a figure depends on a clock.
inline bool is_timed(std::string_view what) {
  return what == "epoch_seconds" || what == "samples_per_s" || what == "total_seconds" ||
         what == "time_cut" || what == "speedup" || what == "efficiency";
}

/// Reads a preset or a settings file. A bad request names the key, the line and the nearest
/// known name.
Result<PresetFile> parse_preset(std::string_view toml, std::string_view origin);

/// The copy of the preset in a run folder, with its name; nothing where there is none or it cannot
/// be read.
struct NamedPreset {
  std::string name;
  PresetFile file;
};
std::optional<NamedPreset> preset_of_run(const std::filesystem::path& run_folder);

/// Where the copy of a preset lies: NAME.preset.toml in the run folder.
std::filesystem::path preset_copy_path(const std::filesystem::path& run_folder,
                                       const std::string& name);

}  // namespace ringside::launch
