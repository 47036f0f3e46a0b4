// Plans studies: which settings are measured, which of their runs are there or count already, and
// which have to be trained. For the command line and the window. Reads files; any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/plan.h"
#include "gui/launch/study_preset.h"
#include "gui/launch/study_settings.h"
#include "gui/place/places.h"
#include "gui/runs/studies/study.h"

namespace ringside::session {

/// A study as it would be started: what is planned, what is there already, what has to be trained.
struct StudyPlan {
  /// With the runs that are there; without a name: a new one. Of one setting it is empty, and no
  /// file keeps it: the runs name their baseline.
  runs::Study study;
  std::string before{};  ///< its file as it was planned from, study_text(); empty: a new one
  launch::PlannedSettings planned;
  launch::Plan plan;  ///< the runs to train, in their order
  struct Place {
    std::string key;
    std::int64_t repeat = 1;  ///< from 1
    std::string existing;     ///< a folder that never began; empty: a new one
  };
  std::vector<Place> places;         ///< of the runs of the plan
  std::vector<std::string> notes;    ///< what must be known before the start: adopted, replaced
  double seconds = 0;                ///< estimated for all that is trained; 0: not known
  std::vector<std::string> quick{};  ///< of a quick form: what was probed and follows, sentences
  place::PlacePtr where = place::here();
  /// What must be there before anything starts, with the folders that are new.
  std::function<Result<void>(const std::vector<runlog::RunFolder>&)> prepare{};
};

struct StudyWish {
  messages::RunSpec spec;        ///< the recipe; of a study that is there its own is taken
  launch::StudyRequest request;  ///< as a ready-made study asks, or without numbers of devices
  std::string title;
  launch::LoadedPreset preset;               ///< what was published goes with the runs
  std::vector<launch::StudySource> sources;  ///< presets of single settings
  /// At which scale of the preset, whose needs must be met; nothing: they are not asked for.
  std::optional<bool> quick;
  bool adopt = true;  ///< equal earlier runs count
  /// For the baseline of one setting, newest first, as far as they are known; nothing: read them.
  std::optional<std::vector<launch::EarlierRun>> earlier;
  std::int64_t looks = 0;  ///< as in runs::StudyHead, with the budget
  double budget_s = 0;
  runs::StudyAsk ask{};  ///< who proposes further combinations; none
  place::PlacePtr where = place::here();
};

/// A new study, recipe and request as the place has them (Place::for_study), and the machine is
/// its. A bad request says what is missing.
Result<StudyPlan> plan_study(const std::filesystem::path& runs_dir, const StudyWish& wish,
                             const launch::Machine& machine);
/// What was asked for with its own runs that are jobs; nothing: none are. Reads small files.
std::optional<launch::Typed> asked_before(const std::filesystem::path& runs_dir,
                                          const runs::Study& study);
/// More settings of a study that is there, by the recipe of its baseline, or combinations of one of
/// settings; with an empty request what is missing of it. One whose runs are jobs of Slurm, or
/// steps, goes on as such, with their options unless others are wished. A bad request when there is
/// nothing to do, it goes on, or it can go on elsewhere only.
Result<StudyPlan> plan_more(const std::filesystem::path& runs_dir, const runs::Study& study,
                            const StudyWish& wish, const launch::Machine& machine);

}  // namespace ringside::session
