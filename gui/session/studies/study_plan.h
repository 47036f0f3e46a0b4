// Plans studies: which settings are measured, which of their runs exist or can be reused, and which
// must be trained. For the command line and the window. Reads files; any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/plan.h"
#include "gui/launch/studies/study_preset.h"
#include "gui/launch/studies/study_settings.h"
#include "gui/place/places.h"
#include "gui/runs/studies/study.h"

namespace ringside::session {

/// A study before its start: what is planned, which runs exist, and which must be trained.
struct StudyPlan {
  /// The study with its existing runs; a new study has no name yet. For a single setting it is
  /// empty and no file stores it: the runs name their baseline.
  runs::Study study;
  std::string before{};  ///< text of its file before (study_text()); empty: new study
  launch::PlannedSettings planned;
  launch::Plan plan;  ///< the runs to train, in their order
  struct Place {
    std::string key;
    std::int64_t repeat = 1;  ///< counted from 1
    std::string existing;     ///< folder of a run that never started; empty: new
  };
  std::vector<Place> places;         ///< one for each run of the plan
  std::vector<std::string> notes;    ///< sentences on adopted and replaced runs
  double seconds = 0;                ///< estimated time of all runs; 0: unknown
  std::vector<std::string> quick{};  ///< sentences on the quick scale's probe
  place::PlacePtr where = place::here();
  /// Called with the new run folders before anything is started; creates what the runs need.
  std::function<Result<void>(const std::vector<runlog::RunFolder>&)> prepare{};
};

struct StudyPlanRequest {
  messages::RunSpec spec;        ///< the recipe; an existing study has its own
  launch::StudyRequest request;  ///< as a ready-made study asks, or without numbers of devices
  std::string title;
  launch::LoadedPreset preset;               ///< copied into the runs
  std::vector<launch::StudySource> sources;  ///< presets of single settings
  /// The scale of the preset whose requirements must be met; nothing: no requirements.
  std::optional<bool> quick;
  bool adopt = true;  ///< reuse equal earlier runs
  /// Runs that may be the baseline of a single setting, newest first; nothing: they must be read.
  std::optional<std::vector<launch::EarlierRun>> earlier;
  std::int64_t looks = 0;  ///< as in runs::StudyHead, with the budget
  double budget_s = 0;
  double least_gain = 0;
  runs::StudyAsk ask{};  ///< library that proposes combinations, if any
  place::PlacePtr where = place::here();
};

/// Plans a new study. Recipe and request are already adapted to the place (Place::for_study), and
/// `machine` is that of the place. A bad request says what is missing.
Result<StudyPlan> plan_study(const std::filesystem::path& runs_dir,
                             const StudyPlanRequest& plan_request, const launch::Machine& machine);
/// Returns the Slurm options of the study's own runs that are jobs; nothing: none are. Reads small
/// files.
std::optional<launch::Typed> asked_before(const std::filesystem::path& runs_dir,
                                          const runs::Study& study);
/// Plans further settings for an existing study by its baseline's recipe, or further combinations
/// for a study of settings; an empty request plans its missing runs. A study whose runs are jobs or
/// steps of Slurm continues as such, with their options unless others are given. Bad request:
/// nothing to do, the study is active, or it can continue only on another machine.
Result<StudyPlan> plan_more(const std::filesystem::path& runs_dir, const runs::Study& study,
                            const StudyPlanRequest& plan_request, const launch::Machine& machine);

}  // namespace ringside::session
