#include "gui/session/window/alert_controller.h"

#include <utility>

#include "gui/view/carry_out.h"

namespace ringside::session {

AlertController::AlertController(std::function<void()> wake)
    : file_(alert_settings_path()), caller_(std::move(wake)) {
  auto settings = read_alert_settings(file_);
  if (settings) {
    settings_ = std::move(*settings);
    return;
  }
  readable_ = false;
  problem_ = settings.error().message;
  problems_.push_back(problem_);
}

void AlertController::watch(LiveRun& run) { caller_.post(settings_, run.take_alerts()); }

bool AlertController::tell_problems(MessageLine& line) {
  std::vector<std::string> all = std::exchange(problems_, {});
  for (std::string& problem : caller_.take_problems()) all.push_back(std::move(problem));
  for (const std::string& problem : all) line.notify(view::Tone::kWarning, problem);
  return !all.empty();
}

void AlertController::keep(const AlertSettings& wanted) {
  if (!readable_) return;
  problem_.clear();
  if (wanted == settings_) return;
  settings_ = wanted;
  if (const auto written = write_alert_settings(file_, settings_); !written)
    problem_ = written.error().message;
}

void AlertController::apply(const view::AlertCommand& command) {
  AlertSettings wanted = settings_;
  view::carry_out(
      command,
      [&](const view::SetAlertRule& rule) {
        if (rule.rule < analysis::kAlertRules) wanted.off.set(rule.rule, !rule.on);
        keep(wanted);
      },
      [&](const view::SetAlertNotify& notify) {
        wanted.notify = notify.on;
        keep(wanted);
      },
      [&](const view::SetAlertCommand& typed) {
        auto words = split_words(typed.text);
        if (!words) {
          problem_ = "The command is not valid: " + words.error().message + ".";
          return;
        }
        wanted.command = std::move(*words);
        keep(wanted);
      },
      [this](const view::TryAlerts&) { caller_.post(settings_, {trial_facts()}); });
}

view::AlertSettingsView AlertController::view() const {
  view::AlertSettingsView view = view::build_alert_settings(settings_.off);
  view.notify = settings_.notify;
  view.command = join_words(settings_.command);
  view.file = file_.string();
  view.problem = problem_;
  view.can_try = settings_.notify || !settings_.command.empty();
  return view;
}

}  // namespace ringside::session
