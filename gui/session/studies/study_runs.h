// What the runs folder says to a study: how its own runs stand, and which earlier ones are equal to
// a run that it needs. Reads files; any thread.
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

/// A run of the study as its folder tells it.
struct KnownRun {
  std::string state;  ///< empty: there is no such folder
  bool live = false;
  bool begun = false;
  double seconds = 0;  ///< 0: it did not finish
};

KnownRun known_run(const std::filesystem::path& runs_dir, const std::string& id);
/// Runs of all settings of the study, by id.
std::map<std::string, KnownRun> known_runs(const std::filesystem::path& runs_dir,
                                           const runs::Study& study);

/// Runs that may count instead of new ones, newest first. Settings first: the log of one is read
/// only where they fit.
class EarlierRuns {
 public:
  /// `known`: as whoever has a list of them knows them, newest first; nothing: they are read when
  /// the first is asked for.
  explicit EarlierRuns(std::filesystem::path runs_dir,
                       std::optional<std::vector<launch::EarlierRun>> known = {});

  /// Leaves out a run that counts already.
  void leave(const std::string& id);

  /// The newest finished repeat of `spec` that was not taken yet; empty: there is none.
  std::string take(const messages::RunSpec& spec, const launch::Machine& machine);
  /// The newest finished run that fits and whose program is as it was.
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

/// A run that is named as the baseline; the log is read only of one that is not among `known`. A
/// bad request: there is none, or its program is another by now.
Result<launch::EarlierRun> find_earlier(
    const std::filesystem::path& runs_dir, const std::string& text,
    const std::optional<std::vector<launch::EarlierRun>>& known = {});

}  // namespace ringside::session
