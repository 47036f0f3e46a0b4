// `ringside reproduce RUN`: shows what a run consisted of, and writes its files into a new folder.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "gui/cli/command/commands.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/paths.h"
#include "gui/launch/program/made_again.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/run_figures.h"
#include "gui/view/table_cells.h"
#include "protocol/base/secrets.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::cli {
namespace {

struct ReproduceOptions : CommonOptions {
  std::string into;
  bool start = false;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) add_listed(text, one_line(word));
  return text;
}

std::string package_text(const launch::ChangedPackage& one) {
  if (one.then.empty()) return one.name + " " + one.now + " is new";
  return one.name + " " + one.then + (one.now.empty() ? " is gone" : ", today " + one.now);
}

/// A run whose program was stored, or one of our own trainer, which has only settings.
struct Reproduced {
  runs::RunSummary run;
  launch::SavedProgram kept;
  launch::ProgramChanges changes;
  bool foreign() const { return !run.spec.program.argv.empty(); }
  /// Whether a file or setting contains the placeholder of a hidden secret.
  bool hides() const {
    const auto hidden = [](const std::string& word) {
      return word.find(kHiddenSecret) != word.npos;
    };
    const messages::ProgramSpec& program = run.spec.program;
    return !kept.redacted.empty() || std::ranges::any_of(program.argv, hidden) ||
           std::ranges::any_of(program.environment, hidden);
  }
};

Result<Reproduced> read_kept(const ReproduceOptions& options) {
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  Reproduced again{runs::read_folder(found), {}, {}};
  if (!again.run.spec_read)
    return bad_request("the settings of run " + runs::label_of(again.run) + " cannot be read" +
                       (again.run.problem.empty() ? "" : ": " + again.run.problem));
  if (messages::is_watched(again.run.spec))
    return bad_request("run " + runs::label_of(again.run) +
                       " was not started by Ringside, which knows its values only");
  if (!again.foreign()) return again;
  auto kept = launch::saved_program(found.folder);
  if (!kept)
    return bad_request("run " + runs::label_of(again.run) +
                       " cannot be made again: " + kept.error().message);
  again.kept = std::move(*kept);
  again.changes = launch::changes_since(found.folder, again.kept, again.run.spec.program);
  return again;
}

view::Table facts_of(const Reproduced& again) {
  view::Table table{"facts", ""};
  table.columns = {{"fact", ""}, {"value", ""}};
  table.heads = false;
  const auto add = [&table](const char* fact, const std::string& value) {
    if (!value.empty()) view::add_row(table, {view::text_cell(fact), view::text_cell(value)});
  };
  const launch::SavedProgram& kept = again.kept;
  const messages::ProgramSpec& program = again.run.spec.program;
  add("run",
      runs::label_of(again.run) + "  " + again.run.folder.id() + "  " + one_line(again.run.name));
  if (!again.foreign()) {
    add("program", "Ringside's own trainer: its settings are all there is");
    return table;
  }
  add("command", one_line(shell_words(program.argv)));
  add("environment", joined(program.environment));
  add("folder", one_line(program.cwd));
  add("kept", launch::summary_of(kept));
  for (const auto& [name, why] : kept.left_out) add("", one_line(name) + " is not kept: " + why);
  if (!kept.redacted.empty())
    add("", std::string(kHiddenSecret) + " replaces a secret in " + joined(kept.redacted));
  const launch::ProgramChanges& changes = again.changes;
  add("since then", changes.unknown);
  if (!changes.edited.empty()) add("since then", "edited: " + joined(changes.edited));
  if (!changes.gone.empty())
    add("since then", "gone or not used any more: " + joined(changes.gone));
  for (const auto& one : changes.packages) add("since then", one_line(package_text(one)));
  if (changes.unknown.empty() && changes.edited.empty() && changes.gone.empty() &&
      changes.packages.empty())
    add("since then", "nothing has changed");
  return table;
}

Json json_of(const Reproduced& again, const std::string& settings) {
  Json packages = Json::array();
  for (const auto& one : again.changes.packages)
    packages.push_back({{"name", one.name},
                        {"then", one.then.empty() ? Json() : Json(one.then)},
                        {"now", one.now.empty() ? Json() : Json(one.now)}});
  const launch::SavedProgram& kept = again.kept;
  Json files = Json::array();
  for (const auto& [name, text] : kept.files) files.push_back(name);
  return {{"id", again.run.folder.id()},
          {"argv", again.run.spec.program.argv},
          {"environment", again.run.spec.program.environment},
          {"cwd", again.run.spec.program.cwd},
          {"commit", kept.commit},
          {"branch", kept.branch},
          {"uncommitted", kept.uncommitted},
          {"python", kept.python},
          {"packages", kept.packages},
          {"files", files},
          {"left_out", kept.left_out},
          {"redacted", kept.redacted},
          {"unknown", again.changes.unknown},
          {"edited", again.changes.edited},
          {"gone", again.changes.gone},
          {"changed_packages", packages},
          {"settings", settings.empty() ? Json() : Json(settings)}};
}

/// Replaces this process, so that the terminal and its signals are those of `ringside run`.
Result<int> start(const ReproduceOptions& options, const std::string& settings) {
  RINGSIDE_TRY(launch::check_can_start());
  std::vector<std::string> argv{"ringside", "run", settings, "--runs-dir",
                                options.runs_folder().string()};
  if (options.json) argv.emplace_back("--json");
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  ::execv("/proc/self/exe", words.data());
  return failure(std::string("ringside run cannot start: ") + std::strerror(errno));
}

/// Trains the run again on another machine, on devices of that one. Of a program only the settings
/// could be sent.
Result<int> start_there(const ReproduceOptions& options, const Reproduced& again) {
  if (again.foreign())
    return bad_request("the program of run " + runs::label_of(again.run) +
                       " is on this machine, and --on sends settings alone: write it with --into "
                       "DIR, copy DIR to the same path there, and start it with ringside run "
                       "DIR/run.toml --on " +
                       options.on);
  messages::RunSpec spec = again.run.spec;
  spec.devices.ids.clear();
  spec.devices.threads = 0;  // were chosen for the cores of this machine
  spec.baseline = {};
  std::vector<std::string> words{"run", "/dev/stdin"};
  if (options.json) words.emplace_back("--json");
  return send_there(options, std::move(words), messages::to_toml(spec), CommandKind::kStay);
}

Result<int> reproduce(const ReproduceOptions& options) {
  if (options.start && options.into.empty())
    return bad_request("--start needs a folder to start in: --into DIR");
  const auto again = RINGSIDE_TRY(read_kept(options));
  if (!options.on.empty()) return start_there(options, again);
  if (options.start && again.hides())
    return bad_request(std::string(kHiddenSecret) +
                       " replaces secrets: leave out --start, "
                       "put them back in the folder and start it there");
  std::string settings;
  if (!options.into.empty()) {
    const auto written =
        RINGSIDE_TRY(launch::write_again(again.kept, again.run.spec, options.into));
    settings = written.string();
  }
  if (options.start) return start(options, settings);
  if (options.json) {
    print(stdout, dump(json_of(again, settings)) + "\n");
    return 0;
  }
  std::string text = table_text(facts_of(again), wants_color(stdout));
  const std::string found = where_found(options.runs_folder());
  if (settings.empty()) {
    text += "\nIts files in a folder of their own:  ringside reproduce " + again.run.folder.id() +
            " --into DIR" + found + "\n";
  } else {
    if (again.hides()) text += "\nReplace each " + std::string(kHiddenSecret) + " by its secret.";
    text += "\nStart it again:  ringside run " + shell_word(settings) + found + "\n";
    if (again.foreign())
      text += "It runs in the new folder: data that it finds beside itself is not copied.\n";
  }
  print(stdout, text);
  return 0;
}

}  // namespace

void add_reproduce(Command& app) {
  auto options = std::make_shared<ReproduceOptions>();
  Command command = app.add_command(
      "reproduce",
      "What a run was made of, what of it has changed since, and its files again in a folder");
  add_run_name(command, *options);
  command
      .add_option("--into DIR", options->into,
                  "Write its files and its settings, run.toml, into this new or empty folder")
      .not_empty("a folder");
  command.add_flag("--start", options->start, "And start it there");
  add_json(command, *options, "One JSON object; with --start what `ringside run` prints");
  add_runs_dir(command, *options);
  add_on(command, *options,
         "Start it on another machine, a run of our trainer alone; paths are those of that machine")
      .excludes(command.option("--into"))
      .excludes(command.option("--start"));
  command.footer(
      "Of a script: its text, the modules beside it that it imports, the settings files in its\n"
      "arguments, the commit and what was not committed, versions of packages. Packages are not "
      "installed.");
  command.action([options] { return reproduce(*options); });
}

}  // namespace ringside::cli
