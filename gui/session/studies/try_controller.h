// The state behind "Try for me": the changes proposed for the open run, the tries in progress, and
// their results. Main thread; the tries run in a job, which shares only its results.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gui/runs/find_run.h"
#include "gui/session/jobs.h"
#include "gui/session/message_line.h"
#include "gui/view/command.h"
#include "gui/view/scaling/tries.h"

namespace ringside::session {

class TryController {
 public:
  /// `wake` is called from the job when there are new results.
  TryController(std::filesystem::path runs_dir, Jobs& jobs, MessageLine& line,
                std::function<void()> wake);
  /// Abandons the tries; active runs continue.
  ~TryController();
  TryController(const TryController&) = delete;
  TryController& operator=(const TryController&) = delete;

  /// Looks for changes that may make this run faster; `over`: the run has ended.
  void look(const runs::ListedRun& run, bool over, const model::RunModel& model);
  /// Starts the tries for the run that was passed to look().
  void start(const view::StartTries& wanted);
  /// Stops the active runs; results are kept.
  void stop();
  /// True if there are new results to show.
  bool update();
  view::TryView view() const { return view::build_try_view(facts_); }
  /// Returns the settings with all changes kept; nothing: none was kept, or the tries have not
  /// ended.
  std::optional<messages::RunSpec> best() const;

 private:
  struct Shared;

  std::filesystem::path runs_dir_;
  Jobs& jobs_;
  MessageLine& line_;
  std::function<void()> wake_;
  std::string run_;                 ///< id of the run passed to look()
  std::shared_ptr<Shared> shared_;  ///< of the newest tries; null: none yet
  std::optional<messages::RunSpec> best_;
  view::TryFacts facts_;
};

}  // namespace ringside::session
