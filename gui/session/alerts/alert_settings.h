// Settings of how alerts reach a person while the window is not in front: disabled rules, desktop
// notifications, and a program of the person's own. Stored as a TOML file in the settings folder.
// Reads and writes one file; any thread.
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

/// $XDG_CONFIG_HOME/ringside/alerts.toml, else ~/.config/ringside/alerts.toml; empty without a home
/// folder: nothing is saved then.
std::filesystem::path alert_settings_path();
/// Returns defaults if the file is missing. An unknown key or rule, or a value of the wrong kind,
/// is an error that names the file and the nearest known name.
Result<AlertSettings> read_alert_settings(const std::filesystem::path& path);
Result<void> write_alert_settings(const std::filesystem::path& path, const AlertSettings& settings);

/// Splits a command line as a person types it at spaces; "double quotes" keep spaces, and the
/// escapes are \" and \\ there. No other character is special, since no shell is used. Fails if a
/// quote is not closed.
Result<std::vector<std::string>> split_words(const std::string& text);
std::string join_words(const std::vector<std::string>& words);

}  // namespace ringside::session
