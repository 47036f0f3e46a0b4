// "Profile 3 steps" of the window: the wait of profile_run() beside the frames, and what came of
// it. Main thread.
#pragma once

#include <atomic>
#include <memory>

#include "gui/runs/find_run.h"
#include "gui/session/jobs.h"
#include "gui/session/message_line.h"
#include "gui/view/command.h"

namespace ringside::session {

class ProfileController {
 public:
  ProfileController(Jobs& jobs, MessageLine& line) : jobs_(jobs), line_(line) {}
  /// Withdraws a profile that is waited for.
  ~ProfileController() { cancel(); }
  ProfileController(const ProfileController&) = delete;
  ProfileController& operator=(const ProfileController&) = delete;

  /// `run`: the open one; null: none, and nothing is done.
  void apply(const view::ProfileCommand& command, const runs::ListedRun* run);

 private:
  void begin(const runs::ListedRun& run);
  void cancel();

  Jobs& jobs_;
  MessageLine& line_;
  std::shared_ptr<std::atomic<bool>> cancelled_;  ///< of the newest; null: there was none
};

}  // namespace ringside::session
