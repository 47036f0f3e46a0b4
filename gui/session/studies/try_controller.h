// "Try for me" behind the window: what would be tried of the open run, the tries under way, and
// what they came to. Main thread; they are made in a job, and share only what has come of them.
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
  /// `wake` is called from the job when there is news.
  TryController(std::filesystem::path runs_dir, Jobs& jobs, MessageLine& line,
                std::function<void()> wake);
  /// Leaves the tries; runs that have begun go on.
  ~TryController();
  TryController(const TryController&) = delete;
  TryController& operator=(const TryController&) = delete;

  /// Looks for what may make this run quicker; `over`: it has ended.
  void look(const runs::ListedRun& run, bool over, const model::RunModel& model);
  /// Tries it, of the run that was looked at.
  void start(const view::StartTries& wanted);
  /// Stops the runs that are under way; what was found stays.
  void stop();
  /// True when there is news to show.
  bool update();
  view::TryView view() const { return view::build_try_view(facts_); }
  /// The settings with all that was kept; nothing: nothing was, or it is not over.
  std::optional<messages::RunSpec> best() const;

 private:
  struct Shared;

  std::filesystem::path runs_dir_;
  Jobs& jobs_;
  MessageLine& line_;
  std::function<void()> wake_;
  std::string run_;                 ///< id of the run that was looked at
  std::shared_ptr<Shared> shared_;  ///< of the newest tries; null: there were none
  std::optional<messages::RunSpec> best_;
  view::TryFacts facts_;
};

}  // namespace ringside::session
