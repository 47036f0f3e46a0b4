// Facts about a study: its file, the state of its runs, and the measurements of finished ones.
// Plain data, filled by the code that reads the folders.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/analysis/scaling/scaling.h"
#include "gui/launch/place_options.h"
#include "gui/launch/preset_file.h"
#include "gui/runs/studies/study.h"

namespace ringside::view {

/// "S-07", or the name of a predefined study.
struct StudyName {
  std::string name;
  std::string title;
};

struct StudyRun {
  std::string id;
  std::string label;   ///< "#983"
  std::string word;    ///< word of its state: "finished"; "deleted" if its folder is gone
  std::string detail;  ///< one sentence, may be empty
  bool live = false;
  std::int64_t repeat = 1;
  double seconds = analysis::RunMeasure::kNone;
  std::optional<bool> fair{};  ///< against the study's baseline; nothing if unknown
  std::string fair_text{};     ///< why, in one sentence; empty: unknown
  bool loss_broke = false;     ///< it counts as failed: its loss was NaN or Inf at the end
  bool finished() const { return word == "finished"; }
  bool operator==(const StudyRun&) const = default;
};

struct StudySettingFacts {
  std::string key;
  std::string series;
  std::int64_t devices = 1;
  std::int64_t per_rank_batch = 0;  ///< 0: unknown, here and below
  std::int64_t global_batch = 0;
  std::int64_t global_batch_nominal = 0;
  std::int64_t steps_per_epoch = 0;
  std::vector<StudyRun> runs;  ///< existing runs, by repeat
  /// Preset with published figures; may be null.
  std::shared_ptr<const launch::NamedPreset> preset;
  std::vector<messages::FieldDifference> changed = {};  ///< differences to that preset
  double ceiling = 0;             ///< speedup of as many copies without communication, by a probe
  std::string ceiling_hint = {};  ///< in words, with reasons to doubt it
  std::int64_t nodes = 1;
  bool virtual_nodes = false;  ///< all nodes are on one host
  /// Variables and words of a custom program's command, without secrets; empty: our trainer.
  std::vector<std::string> command = {};
};

struct StudyFacts {
  runs::Study study;
  std::string recipe;  ///< "resnet50 · cifar10"
  std::int64_t epochs = 0;
  bool on_gpus = false;
  std::vector<StudySettingFacts> settings;  ///< as in the study
  /// Measurements of the settings, by the same index.
  std::vector<analysis::ScalingSetting> measured;
  std::optional<launch::PublishedGate> goal;
  std::optional<launch::Typed> slurm;  ///< options of its Slurm jobs; nothing: no Slurm jobs
  std::string best_by{};  ///< for a study of settings, a column; empty: the first known one
};

/// Whether the setting has a ceiling, measured by a probe, that its runs do not beat.
bool has_ceiling(const StudySettingFacts& setting, const analysis::Scaling& scaling);

/// "2 × 3"; on one node only its number of devices.
std::string size_text(const StudySettingFacts& setting);

/// The finished run that represents a study setting: the one whose time is nearest to the mean.
/// Null if none has finished.
const StudyRun* typical_run(const StudySettingFacts& setting);

/// Why the study's waterfall is not shown yet.
std::string waterfall_wait(const StudyFacts& facts);

struct StudyProgress {
  std::size_t planned = 0;
  std::size_t finished = 0;
  std::size_t failed = 0;   ///< including stopped, interrupted and deleted ones
  std::size_t waiting = 0;  ///< active, or not created yet
  bool live = false;
  bool complete() const { return planned > 0 && finished == planned; }
};
StudyProgress progress_of(const StudyFacts& facts);
/// The choices for deleting it, in the order of view::TrashStudy::with_runs: false, true.
std::vector<std::string> delete_words(const StudyFacts& facts);
/// "all finished", "4 of 9 runs finished, #12 training", "stopped after 4 of 9 runs".
std::string progress_text(const StudyFacts& facts);

}  // namespace ringside::view
