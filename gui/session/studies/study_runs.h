// Facts for a study from the runs folder: the state of its own runs, and which earlier runs equal a
// run that it needs. Reads files; any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/baselines.h"
#include "gui/launch/machine.h"
#include "gui/launch/program/program_files.h"
#include "gui/runs/studies/study.h"
#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::session {

/// A run of the study according to its folder.
struct KnownRun {
  std::string state;  ///< empty: the folder does not exist
  bool live = false;
  bool begun = false;
  double seconds = 0;  ///< 0: it did not finish
};

KnownRun known_run(const std::filesystem::path& runs_dir, const std::string& id);
/// Known runs of all settings of the study, by id.
std::map<std::string, KnownRun> known_runs(const std::filesystem::path& runs_dir,
                                           const runs::Study& study);

/// Earlier runs that may be used instead of new ones, newest first. Settings are compared first: a
/// log is read only if they match.
class EarlierRuns {
 public:
  /// `known`: runs that the caller has already listed, newest first; nothing: they are listed when
  /// the first is needed.
  explicit EarlierRuns(std::filesystem::path runs_dir,
                       std::optional<std::vector<launch::EarlierRun>> known = {});

  /// Excludes a run that is already used.
  void leave(const std::string& id);

  /// Returns the newest finished repeat of `spec` that was not taken yet; empty: there is none.
  std::string take(const messages::RunSpec& spec, const launch::Machine& machine);
  /// Returns the newest finished run that fits and whose program has not changed.
  std::optional<launch::EarlierRun> newest(
      const std::function<bool(const launch::EarlierRun&)>& fits);

 private:
  struct One {
    runlog::RunFolder folder;
    messages::RunSpec spec;
    std::optional<bool> finished;
    bool taken = false;
  };
  std::vector<One>& all();
  One* find_newest(const std::function<bool(const launch::EarlierRun&)>& fits, bool whole);

  std::filesystem::path runs_dir_;
  std::optional<std::vector<One>> all_;
  launch::ProgramsToday today_;
};

/// Finds a run named as the baseline; its log is read only if it is not in `known`. A bad request
/// if there is none, or its program has changed.
Result<launch::EarlierRun> find_earlier(
    const std::filesystem::path& runs_dir, const std::string& text,
    const std::optional<std::vector<launch::EarlierRun>>& known = {});

}  // namespace ringside::session
