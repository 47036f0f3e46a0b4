// Contents of the settings of alerts: a line per rule, and how alerts are sent outside the window.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/analysis/alerts/alerts.h"

namespace ringside::view {

struct AlertRuleView {
  std::string word;  ///< "Loss is NaN or Inf"
  std::string hint;  ///< when it fires and when it does not
  bool on = true;
};

struct AlertSettingsView {
  std::vector<AlertRuleView> rules;  ///< in the order of analysis::AlertRule
  std::string always;                ///< alerts that cannot be switched off
  bool notify = false;
  std::string command;  ///< as typed
  std::string command_hint;
  std::string file;     ///< file in which it is saved; empty: none
  std::string problem;  ///< why a setting was refused or not saved; empty: no problem
  bool can_try = false;
};

AlertSettingsView build_alert_settings(const analysis::RuleSet& off);

}  // namespace ringside::view
