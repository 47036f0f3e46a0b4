// A study: settings of one recipe, each trained several times against one baseline, stored as a
// small file of run ids beside the runs (STUDY.md). Plain data, and functions that read and write
// files; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

inline constexpr std::string_view kBaselineSeries = "baseline";

struct StudySetting {
  std::string key;  ///< "weak-4": series and devices; "weak-2x2": two nodes with two devices each
  std::vector<std::string> runs;      ///< ids by repeat; empty: not trained yet
  std::vector<std::string> adopted;   ///< those of `runs` that existed before the study
  std::vector<std::string> left_out;  ///< failed or cut short, and trained again since

  std::string series() const;
  std::int64_t devices() const;  ///< on all nodes; 0: the key names none
  std::int64_t nodes() const;
  bool is_baseline() const { return series() == kBaselineSeries; }
  /// Whether the key is a combination of assignments, "optimizer.lr=0.01 batch.size=32-2" (shell
  /// words). Such a study compares combinations of settings.
  bool is_combination() const { return key.find('=') != std::string::npos; }
  /// Names and values of a combination, as typed.
  std::vector<std::pair<std::string, std::string>> values() const;

  RINGSIDE_FIELDS(key, runs, adopted, left_out)
  bool operator==(const StudySetting&) const = default;
};

/// The key of a setting on one node: "weak", 4 -> "weak-4".
std::string setting_key(std::string_view series, std::int64_t devices);

struct StudyHead {
  std::string study;   ///< "S-07"
  std::string title;   ///< title for people
  std::string recipe;  ///< preset or file that it is based on
  std::int64_t made_wall_ns = 0;
  std::int64_t repeats = 0;  ///< planned for each setting
  /// For a study of pairs, how often the result is checked before it ends: 1 if the number of
  /// repeats was given, else all of analysis::kLooks. 0 for any other study.
  std::int64_t looks = 0;
  double budget_s = 0;  ///< time limit for its runs; 0: as many pairs as needed
  /// The share of the time that the second of two settings has to save: pairs end once it is
  /// unlikely that it does. 0: whichever is quicker matters.
  double least_gain = 0;

  RINGSIDE_FIELDS(study, title, recipe, made_wall_ns, repeats, looks, budget_s, least_gain)
  bool operator==(const StudyHead&) const = default;
};

/// A library that proposes the settings of a study, one combination after the other.
struct StudyAsk {
  std::string library;               ///< "optuna"; empty: the study's settings are fixed
  std::int64_t trials = 0;           ///< number of combinations
  std::vector<std::string> vary;     ///< "optimizer.lr=0.001..0.1:log", as typed
  std::int64_t seed = 0;             ///< random seed of the library
  std::string best_by;               ///< metric that ranks; empty: the first known one
  std::vector<std::string> command;  ///< custom command with {name}; empty: a recipe

  RINGSIDE_FIELDS(library, trials, vary, seed, best_by, command)
  bool operator==(const StudyAsk&) const = default;
};

struct Study {
  StudyHead head;
  std::vector<StudySetting> settings;  ///< the baseline first, if there is one
  std::string problem;                 ///< why it was rebuilt from its runs; empty: it was not
  StudyAsk ask{};

  StudySetting* find(std::string_view key);
  const StudySetting* find(std::string_view key) const;
  /// Whether the study compares combinations of settings on one number of devices, without a
  /// baseline.
  bool of_settings() const { return !settings.empty() && settings.front().is_combination(); }
  /// Whether the study compares two settings in pairs of runs.
  bool of_pairs() const { return head.looks > 0 && settings.size() == 2; }
  std::size_t runs() const;     ///< number of runs so far
  std::size_t planned() const;  ///< settings, or trials that are proposed, times repeats
  /// The first run of the first setting, the baseline; empty: not trained yet.
  std::string baseline_run() const;
};

/// The name "S-07", also for "s7" or "S-7"; empty: the text names no study.
std::string study_name(std::string_view text);

/// The text of a study's file; the copy in a run folder also has `setting` and `repeat` (from 1).
std::string study_text(const Study& study, std::string_view setting = {}, std::int64_t repeat = 0);
/// The bad request names `origin` and what is wrong. Ids that could lead out of the runs folder
/// count as not trained.
Result<Study> parse_study(std::string_view toml, std::string_view origin);

/// Folders with the files of studies and of deleted studies (study_trash.h), which are not rebuilt
/// from runs and keep their names.
std::filesystem::path studies_dir(const std::filesystem::path& runs_dir);
std::filesystem::path deleted_studies_dir(const std::filesystem::path& runs_dir);

/// Reads the study's file, or rebuilds it from the runs if the file is lost or damaged. The bad
/// request lists the existing studies.
Result<Study> read_study(const std::filesystem::path& runs_dir, std::string_view name);
/// All studies, newest first.
std::vector<Study> list_studies(const std::filesystem::path& runs_dir);

/// Claims the next free name by creating its file.
Result<std::string> new_study(const std::filesystem::path& runs_dir);
/// Writes the file, and its copy in the folder of each run in `made`.
Result<void> write_study(const std::filesystem::path& runs_dir, const Study& study,
                         const std::vector<runlog::RunFolder>& made = {});
/// Removes a study that never began.
void remove_study(const std::filesystem::path& runs_dir, const std::string& name);

/// The study that a run belongs to; empty: none.
std::string study_of(const runlog::RunFolder& folder);

}  // namespace ringside::runs
