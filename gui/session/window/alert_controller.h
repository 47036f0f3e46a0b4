// Handles the alerts of the open run apart from drawing them: sends them out of the window, and
// edits the settings for that. Main thread; the programs it starts run in parallel.
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

  /// Sends new alerts of the run and, once, how it ended while it was open.
  void watch(LiveRun& run);
  /// Shows problems with sending, each once. True if there was one.
  bool tell_problems(MessageLine& line);
  void apply(const view::AlertCommand& command);
  const analysis::RuleSet& off() const { return settings_.off; }
  view::AlertSettingsView view() const;

 private:
  void keep(const AlertSettings& wanted);

  std::filesystem::path file_;
  AlertSettings settings_;
  AlertCaller caller_;
  bool readable_ = true;  ///< a file that cannot be read is not overwritten
  std::string problem_;
  std::vector<std::string> problems_;
};

}  // namespace ringside::session
