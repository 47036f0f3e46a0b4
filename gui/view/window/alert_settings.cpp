#include "gui/view/window/alert_settings.h"

namespace ringside::view {

AlertSettingsView build_alert_settings(const analysis::RuleSet& off) {
  AlertSettingsView view;
  for (const analysis::AlertRuleInfo& info : analysis::kAlertRuleInfos)
    view.rules.push_back({std::string(info.word), std::string(info.hint),
                          !off.test(static_cast<std::size_t>(info.rule))});
  view.always =
      "Failed ranks, the end of the run and a log that cannot be written are always reported.";
  view.command_hint =
      "Program and arguments, run without a shell; its environment has RINGSIDE_ALERT, "
      "RINGSIDE_RUN and others.";
  return view;
}

}  // namespace ringside::view
