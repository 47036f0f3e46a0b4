// What is done about the alerts of the open run beside drawing them: telling them outside of the
// window, and the settings of that. Main thread; programs run beside it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gui/session/alerts/alert_caller.h"
#include "gui/session/message_line.h"
#include "gui/session/run/live_run.h"
#include "gui/view/command.h"
#include "gui/view/window/alert_settings.h"

namespace ringside::session {

class AlertController {
 public:
  explicit AlertController(std::function<void()> wake);

  /// Tells what is new of the run; once, when it ends while it is open, how it ended.
  void watch(LiveRun& run);
  /// What went wrong outside, once each. True when there was something.
  bool tell_problems(MessageLine& line);
  void apply(const view::AlertCommand& command);
  const analysis::RuleSet& off() const { return settings_.off; }
  view::AlertSettingsView view() const;

 private:
  void keep(const AlertSettings& wanted);

  std::filesystem::path file_;
  AlertSettings settings_;
  AlertCaller caller_;
  bool readable_ = true;  ///< a file that cannot be used is not written over
  std::string problem_;
  std::vector<std::string> problems_;
};

}  // namespace ringside::session
