// "Profile 3 steps" of the window: runs profile_run() as a job and shows its result. Main thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "gui/runs/find_run.h"
#include "gui/session/jobs.h"
#include "gui/session/message_line.h"
#include "gui/view/command.h"

namespace ringside::session {

class ProfileController {
 public:
  /// `kept` is called when a profile has been saved in the folder of its run.
  ProfileController(
      Jobs& jobs, MessageLine& line, std::function<void()> kept = [] {})
      : jobs_(jobs), line_(line), kept_(std::move(kept)) {}
  /// Withdraws a request that is still waiting.
  ~ProfileController() { cancel(); }
  ProfileController(const ProfileController&) = delete;
  ProfileController& operator=(const ProfileController&) = delete;

  /// `run`: the open run; null: there is none, and nothing is done.
  void apply(const view::ProfileCommand& command, const runs::ListedRun* run);

 private:
  void begin(const runs::ListedRun& run);
  void cancel();

  Jobs& jobs_;
  MessageLine& line_;
  std::function<void()> kept_;
  std::shared_ptr<std::atomic<bool>> cancelled_;  ///< of the newest profile; null: none yet
};

}  // namespace ringside::session
