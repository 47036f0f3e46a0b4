// Results of the form of a script: the plan, and the commands that would do the same.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "gui/view/launch/launch_parts.h"
#include "gui/view/number_format.h"
#include "protocol/base/secrets.h"
#include "protocol/base/shell_word.h"
#include "protocol/messages/spec/shown_program.h"

namespace ringside::view {
namespace {

using messages::RunSpec;

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// Shown and copied settings contain no secrets.
RunSpec without_secrets(RunSpec spec) {
  spec.program = messages::without_secrets(std::move(spec.program));
  return spec;
}

/// Whether the setting has a command-line option of its own.
bool has_option(const std::string& key) {
  constexpr std::array<std::string_view, 6> kKeys = {
      "name",        "devices.kind",    "devices.world_size",
      "devices.ids", "limits.restarts", "baseline.mode",
  };
  return std::ranges::find(kKeys, key) != kKeys.end() || key.starts_with("program.");
}

/// The option for a variable. The value of a secret is taken from the environment of the terminal.
std::string variable_option(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('='));
  return "--env " + (names_secret(name) ? "\"" + name + "=$" + name + "\"" : shell_word(entry));
}

std::vector<std::string> options_of(const RunSpec& spec) {
  std::vector<std::string> options;
  if (spec.devices.kind == "cpu") options.emplace_back("--devices cpu");
  if (spec.devices.kind != "cpu" && !spec.devices.ids.empty())
    options.push_back("--devices " + shell_word(joined(spec.devices.ids, ",")));
  if (!spec.name.empty()) options.push_back("--name " + shell_word(spec.name));
  if (!spec.program.cwd.empty()) options.push_back("--cwd " + shell_word(spec.program.cwd));
  for (const std::string& entry : spec.program.environment)
    options.push_back(variable_option(entry));
  const auto& baseline = spec.baseline;
  const bool named = baseline.mode == "reuse" && !baseline.run.empty();
  if (baseline.mode != "none")
    options.push_back("--baseline " + shell_word(named ? baseline.run : baseline.mode));
  if (spec.limits.restarts > 0)
    options.push_back("--restarts " + std::to_string(spec.limits.restarts));
  if (!spec.program.instrument) options.emplace_back("--no-instrument");
  for (const auto& difference : messages::differences(RunSpec{}, spec)) {
    if (!has_option(difference.key) && difference.key != "baseline.run")
      options.push_back("--set " + shell_word(difference.key + "=" + difference.right));
  }
  return options;
}

PreviewTab command_tab(const ScriptForm& form, const std::string& elsewhere) {
  PreviewTab tab;
  tab.title = "Command";
  if (form.argv().empty()) {
    tab.lines.push_back(std::string("# ") + form.missing());
    return tab;
  }
  const RunSpec spec = without_secrets(form.settings().spec());
  std::vector<std::string> options = options_of(spec);
  if (!elsewhere.empty()) options.insert(options.begin(), "--on " + shell_word(elsewhere));
  tab.lines.push_back("ringside run --ranks " + std::to_string(spec.devices.world_size));
  for (const std::string& option : options) {
    tab.lines.back() += " \\";
    tab.lines.push_back("  " + option);
  }
  const std::string command = "-- " + shell_words(spec.program.argv);
  if (options.empty()) {
    tab.lines.back() += " " + command;
  } else {
    tab.lines.back() += " \\";
    tab.lines.push_back("  " + command);
  }
  const bool hidden = std::ranges::any_of(
      tab.lines, [](const std::string& line) { return line.find(kHiddenSecret) != line.npos; });
  if (hidden) tab.lines.push_back("# put the secret in the place of " + std::string(kHiddenSecret));
  return tab;
}

Fact script_fact(const char* label, std::string value) {
  return {label, {{std::move(value), Style::kNumber}}, Tone::kText};
}

}  // namespace

std::vector<Fact> script_plan_facts(const ScriptForm& form, const MachineSummary& machine) {
  const LaunchForm& settings = form.settings();
  const RunSpec& spec = settings.spec();
  std::vector<Fact> plan{ranks_fact(settings, machine)};
  if (form.argv().empty()) return plan;
  if (!spec.program.cwd.empty()) plan.push_back(script_fact("Folder", spec.program.cwd));
  plan.push_back(
      script_fact("Steps", spec.program.instrument ? "counted while it runs" : "not seen"));
  plan.push_back(script_fact("Backend", "what the script chooses"));
  if (spec.limits.restarts > 0)
    plan.push_back(
        script_fact("Restarts", plural(spec.limits.restarts, "time", "times") + " at most"));
  if (spec.baseline.mode == "run" && spec.devices.world_size > 1)
    plan.push_back(script_fact("Order", "baseline first, then this run"));
  return plan;
}

std::vector<PreviewTab> script_preview_tabs(const ScriptForm& form, const MachineSummary& machine) {
  std::vector<PreviewTab> tabs{command_tab(form, machine.elsewhere)};
  if (!form.argv().empty())
    add_rank_tabs(without_secrets(form.spec()), uses_gpus(form.settings(), machine), tabs);
  return tabs;
}

}  // namespace ringside::view
