// How alerts reach a person when the window is not in front: which rules are off,
// desktop notifications, a program of their own. A TOML file in the folder of settings. Reads and
// writes one file; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gui/analysis/alerts/alerts.h"
#include "protocol/base/result.h"

namespace ringside::session {

struct AlertSettings {
  analysis::RuleSet off;
  bool notify = false;
  std::vector<std::string> command;  ///< program and its arguments; empty: none
  double limit_s = 10;               ///< a program that takes longer is ended, 0.1 to 600
  bool operator==(const AlertSettings&) const = default;
};

/// $XDG_CONFIG_HOME/ringside/alerts.toml, else ~/.config/ringside/alerts.toml; empty where there is
/// no home folder: nothing is kept then.
std::filesystem::path alert_settings_path();
/// Defaults where there is no file. A key or rule that is not known, or a value of the wrong kind,
/// is an error that names the file and the nearest name.
Result<AlertSettings> read_alert_settings(const std::filesystem::path& path);
Result<void> write_alert_settings(const std::filesystem::path& path, const AlertSettings& settings);

/// A command line as a person types it: words parted by spaces; "double quotes" hold spaces
/// together, \" and \\ stand for themselves. Nothing else has a meaning: no shell ever sees it.
/// Fails where a quote is not closed.
Result<std::vector<std::string>> split_words(const std::string& text);
std::string join_words(const std::vector<std::string>& words);

}  // namespace ringside::session
