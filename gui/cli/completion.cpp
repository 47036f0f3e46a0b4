// `ringside completion bash|zsh|fish`: words for completion by the Tab key of a shell.
#include <optional>
#include <string>
#include <vector>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/complete.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/presets.h"
#include "gui/launch/studies/study_preset.h"
#include "gui/runs/find_run.h"
#include "gui/runs/run_labels.h"
#include "gui/runs/studies/study.h"
#include "gui/view/runs/run_columns.h"
#include "gui/view/window/manual_pages.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::cli {
namespace {

constexpr std::size_t kMostRuns = 50;

struct CompletionOptions : CommonOptions {
  std::string shell;
  std::optional<std::string> line;
};

void add_runs(const std::filesystem::path& folder, std::vector<std::string>& found) {
  found.emplace_back("last");
  const auto runs = runs::list_runs(folder);
  if (!runs) return;
  for (std::size_t i = 0; i < std::min(runs->size(), kMostRuns); ++i) {
    const runs::ListedRun& run = (*runs)[runs->size() - 1 - i];
    if (run.number > 0) found.push_back(std::to_string(run.number));
    found.push_back(run.folder.id());
  }
}

/// Adds the tags of the newest runs.
void add_tags(const std::filesystem::path& folder, std::vector<std::string>& found) {
  const auto runs = runs::list_runs(folder);
  if (!runs) return;
  for (std::size_t i = 0; i < std::min(runs->size(), kMostRuns); ++i) {
    const auto labels = runs::read_labels((*runs)[runs->size() - 1 - i].folder);
    found = runs::changed_tags(std::move(found), labels.tags, true);
  }
}

/// Returns the possible values. Errors are ignored, since this runs while a person types.
std::vector<std::string> known_values(const CompletionOptions& options, std::string_view what) {
  const auto speaks_of = [what](std::string_view word) { return what.find(word) != what.npos; };
  std::vector<std::string> found;
  if (speaks_of("RUN")) add_runs(options.runs_folder(), found);
  if (speaks_of("PRESET")) {
    const auto presets = launch::presets();
    if (presets)
      for (const launch::Preset& preset : *presets) found.push_back(preset.name);
  }
  if (speaks_of("STUDY")) {
    const auto ready = launch::study_presets();
    if (ready && speaks_of("PRESET"))
      for (const launch::StudyPreset& study : *ready) found.push_back(study.name);
    for (const runs::Study& study : runs::list_studies(options.runs_folder()))
      found.push_back(study.head.study);
  }
  if (speaks_of("TOPIC")) {
    const auto manual = view::read_whole_manual();
    if (manual) found = manual->topics();
  }
  if (what == "KEY" || what == "KEYS") {
    for (const view::TableColumn& column : view::run_columns())
      if (column.in_text) found.push_back(column.key);
    for (const messages::Setting& setting : messages::settings()) found.push_back(setting.key);
  }
  if (what.starts_with("TAG")) add_tags(options.runs_folder(), found);
  if (what.starts_with("KEY=VALUE"))
    for (const messages::Setting& setting : messages::settings())
      found.push_back(setting.key + "=");
  return found;
}

Result<int> complete(const CompletionOptions& options, const DescribedCommands& commands) {
  std::string text(completion_script(options.shell));
  if (options.line) {
    const auto values = [&](std::string_view what) { return known_values(options, what); };
    for (const std::string& word : completions(*options.line, commands, values))
      text += word + "\n";
  } else if (text.empty()) {
    return bad_request("name a shell: ringside completion bash, zsh or fish");
  }
  print(stdout, text);
  return 0;
}

}  // namespace

void add_completion(Command& app) {
  auto options = std::make_shared<CompletionOptions>();
  Command command = app.add_command(
      "completion",
      "A script that has the Tab key of a shell complete commands, options, runs and settings.\n"
      "bash: source <(ringside completion bash); zsh: the same; fish: ringside completion fish | "
      "source");
  command.add_option("SHELL", options->shell, "bash, zsh or fish");
  command.add_option("--line TEXT", options->line,
                     "What such a script asks: the words that can end this command line");
  add_runs_dir(command, *options);
  command.action_with_commands(
      [options](const DescribedCommands& commands) { return complete(*options, commands); });
}

}  // namespace ringside::cli
