// The form for a custom program, and the list of recent scripts.
#include <algorithm>
#include <set>
#include <utility>

#include "gui/runs/catalogue.h"
#include "gui/view/launch/launch_parts.h"
#include "gui/view/number_format.h"
#include "gui/view/run_context.h"
#include "protocol/base/printable.h"
#include "protocol/base/secrets.h"
#include "protocol/base/shell_word.h"
#include "protocol/messages/spec/settings.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::view {
namespace {

constexpr const char* kLimitsSection = "Processes and limits";
constexpr const char* kSeen =
    "Seen without a changed line: steps, losses, learning rate, samples, the time for data, "
    "forward, backward, communication and optimizer, buckets, epochs, what the sampler drew, "
    "metrics for TensorBoard and W&B. What cannot be seen is shown as unknown.\n"
    "Off: only the processes, devices and logs are shown.";

FieldView typed_field(const ScriptForm& form, const char* key, const char* label, std::string tip) {
  FieldView field;
  field.key = key;
  field.label = label;
  field.text = form.text(key);
  field.tip = std::move(tip);
  field.error = form.error(key);
  // An empty field shows no error; the page says what is missing.
  return field;
}

std::string quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

std::string argv_text(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& word : hide_secrets(argv))
    text += (text.empty() ? "[" : ", ") + quoted(printable_line(word));
  return text.empty() ? "" : text + "]";
}

std::vector<VariableView> variable_rows(const ScriptForm& form) {
  std::vector<VariableView> rows;
  const auto& variables = form.variables();
  for (std::size_t row = 0; row < variables.size(); ++row) {
    const std::string wrong_name = form.error(script_key::variable_name(row));
    rows.push_back({row, variables[row].name, variables[row].value,
                    names_secret(variables[row].name), false,
                    wrong_name.empty() ? form.error(script_key::variable_value(row)) : wrong_name});
  }
  rows.push_back({variables.size(), "", "", false, true, ""});
  return rows;
}

void add_program_fields(const ScriptForm& form, ScriptView& view) {
  view.program = typed_field(form, script_key::kProgram, "Program",
                             "A .py file, which python3 runs, or any program. A launcher such as "
                             "torchrun works too: its options are under Arguments.");
  view.arguments = typed_field(form, script_key::kArguments, "Arguments",
                               "As in a terminal: spaces part them, quotes keep them together. No "
                               "shell runs them, so nothing is expanded.");
  view.folder = typed_field(form, script_key::kFolder, "Folder",
                            "Folder in which each rank runs\nempty: that of the script");
  if (view.folder.text.empty())
    view.folder.hint = form.default_folder().empty() ? "where Ringside was started"
                                                     : "the script's: " + form.default_folder();
}

/// The settings of processes that are not shown above.
FormSection limits_section(const LaunchForm& settings, bool gpus) {
  for (FormSection& section : form_sections(settings, gpus)) {
    if (section.title != kLimitsSection) continue;
    const auto above = [](const FieldView& field) { return field.key == "limits.restarts"; };
    std::erase_if(section.fields, above);
    std::erase_if(section.advanced, above);
    return std::move(section);
  }
  return {};
}

std::string name_of_command(const std::vector<std::string>& argv) {
  std::vector<std::string> words = hide_secrets(argv);
  const auto script = std::ranges::find_if(
      words, [](const std::string& word) { return !word.starts_with("python") && word != "-u"; });
  const bool named = script != words.end() && !script->starts_with('-');
  if (named) words.erase(words.begin(), script);
  words[0].erase(0, words[0].find_last_of('/') + 1);  // npos + 1 is 0
  return printable_line(shell_words(words));
}

}  // namespace

std::vector<RecentScript> recent_scripts(std::span<const runs::RunSummary> runs) {
  std::vector<RecentScript> recent;
  std::set<std::pair<std::string, std::vector<std::string>>> known;
  for (const runs::RunSummary& run : runs) {
    if (recent.size() == kMostRecentScripts) break;
    const messages::ProgramSpec& program = run.spec.program;
    if (!run.spec_read || program.argv.empty() || program.argv.front().empty()) continue;
    if (messages::is_watched(run.spec)) continue;
    if (!known.insert({program.cwd, program.argv}).second) continue;
    std::string detail = run_label(run.number, run.folder.id()) + ", " +
                         plural(run.spec.devices.world_size, "rank", "ranks");
    if (!program.cwd.empty()) detail += ", in " + printable_line(program.cwd);
    recent.push_back({run.folder.id(), name_of_command(program.argv), std::move(detail)});
  }
  return recent;
}

ScriptView script_view(const ScriptForm& form, std::span<const RecentScript> recent, bool gpus) {
  const LaunchForm& settings = form.settings();
  ScriptView view;
  view.empty = form.text(script_key::kProgram).empty();
  view.missing = form.missing();
  add_program_fields(form, view);
  view.argv = argv_text(form.argv());
  view.notes = form.notes();
  view.environment = variable_rows(form);
  FieldView instrument = setting_field(settings, "program.instrument", gpus);
  instrument.tip = kSeen;
  FieldView name = setting_field(settings, "name", gpus);
  if (name.text.empty())
    name.hint = form.automatic_name().empty() ? "" : "automatic: " + form.automatic_name();
  view.fields = {std::move(instrument), setting_field(settings, "limits.restarts", gpus),
                 std::move(name)};
  view.limits = limits_section(settings, gpus);
  view.recent.assign(recent.begin(), recent.end());
  return view;
}

}  // namespace ringside::view
