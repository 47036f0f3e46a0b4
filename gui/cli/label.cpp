// `ringside label RUN` edits the name, tags, note and star of a run; `ringside tag TAG,... RUN...`
// and `ringside rename RUN NAME` are shortcuts for the two most frequent edits.
#include <algorithm>
#include <optional>
#include <utility>

#include "gui/cli/command/commands.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/run_figures.h"
#include "gui/view/number_format.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/watched.h"

namespace ringside::cli {
namespace {

struct LabelOptions : CommonOptions {
  std::optional<std::string> name;
  std::vector<std::string> tags;
  std::vector<std::string> untags;
  std::optional<std::string> note;
  std::vector<std::string> notes_at;  ///< "STEP=TEXT"
  bool star = false;
  bool unstar = false;
  std::vector<std::string> runs;  ///< the runs that `tag` names
  bool off = false;
  std::string words;  ///< the tags or the new name
};

runs::RunLabels labelled(runs::RunLabels labels, const LabelOptions& options,
                         const std::vector<runs::ChartNote>& notes) {
  if (options.name) labels.name = *options.name;
  if (options.note) labels.note = *options.note;
  for (const std::string& list : options.tags)
    labels.tags = runs::changed_tags(labels.tags, runs::tags_of(list), true);
  for (const std::string& list : options.untags)
    labels.tags = runs::changed_tags(labels.tags, runs::tags_of(list), false);
  if (options.star || options.unstar) labels.starred = options.star;
  for (const runs::ChartNote& note : notes) runs::put_chart_note(labels, note);
  return labels;
}

/// Returns the notes of "STEP=TEXT". Steps are typed as charts show them, `first` for the first
/// one.
Result<std::vector<runs::ChartNote>> typed_notes(const std::vector<std::string>& typed,
                                                 std::int64_t first) {
  std::vector<runs::ChartNote> notes;
  for (const std::string& one : typed) {
    const std::size_t equals = one.find('=');
    const auto step = whole_number(std::string_view(one).substr(0, equals));
    if (!step || equals == one.npos || *step < first)
      return bad_request("--note-at " + one + ": write STEP=TEXT with a step from " +
                         std::to_string(first) + " on, as in --note-at 1200='lower rate'");
    notes.push_back({*step - first, one.substr(equals + 1)});
  }
  return notes;
}

struct Labelled {
  runs::RunSummary run;
  runs::RunLabels labels;
  std::int64_t first_step = 1;  ///< number that is shown for the first step
};

Result<Labelled> label_one(const LabelOptions& options, const runs::ListedRun& found) {
  const auto spec = runs::read_spec(found.folder);
  const std::int64_t first = spec ? messages::first_step_number(*spec) : 1;
  const auto notes = RINGSIDE_TRY(typed_notes(options.notes_at, first));
  runs::RunLabels labels =
      RINGSIDE_TRY(runs::edit_labels(found.folder, [&](runs::RunLabels before) {
        return labelled(std::move(before), options, notes);
      }));
  return Labelled{runs::read_folder(found), std::move(labels), first};
}

Json label_json(const Labelled& one) {
  Json notes = Json::array();
  for (const runs::ChartNote& note : runs::chart_notes_of(one.labels))
    notes.push_back({{"step", note.step}, {"text", note.text}});
  return {{"id", one.run.folder.id()}, {"name", one.run.name},          {"tags", one.labels.tags},
          {"note", one.labels.note},   {"starred", one.labels.starred}, {"chart_notes", notes}};
}

std::string label_text(const Labelled& one) {
  const runs::RunLabels& labels = one.labels;
  std::string text = runs::label_of(one.run) + " " + one_line(one.run.name) +
                     (labels.starred ? "  starred" : "") + "\n";
  text += "tags  " + (labels.tags.empty() ? "–" : one_line(runs::tags_text(labels.tags))) + "\n";
  text += "note  " + (labels.note.empty() ? "–" : one_line(labels.note)) + "\n";
  for (const runs::ChartNote& note : runs::chart_notes_of(labels))
    text += "at step " + view::value_step_text(note.step, one.first_step) + "  " +
            one_line(note.text) + "\n";
  return text;
}

Result<int> label(const LabelOptions& options) {
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  const auto one = RINGSIDE_TRY(label_one(options, found));
  print(stdout, options.json ? dump(label_json(one)) + "\n" : label_text(one));
  return 0;
}

/// Tags several runs. If one run is unknown, no run is changed.
Result<int> tag(const LabelOptions& options) {
  std::vector<runs::ListedRun> found;
  for (const std::string& name : options.runs) {
    auto run = RINGSIDE_TRY(runs::find_run(options.runs_folder(), name));
    found.push_back(std::move(run));
  }
  Json all = Json::array();
  std::string text;
  for (const runs::ListedRun& run : found) {
    const auto one = RINGSIDE_TRY(label_one(options, run));
    all.push_back(label_json(one));
    text += label_text(one);
  }
  print(stdout, options.json ? dump(all) + "\n" : text);
  return 0;
}

}  // namespace

void add_label(Command& app) {
  auto options = std::make_shared<LabelOptions>();
  Command command =
      app.add_command("label", "Name a run, tag it, write a note on it; or print what it has");
  add_run_name(command, *options);
  command.add_option("--name TEXT", options->name,
                     "Name to show; an empty one is that of its settings");
  command
      .add_option("--tag TAG,...", options->tags, "Tags to add, separated by commas (repeatable)")
      .repeatable();
  command.add_option("--untag TAG,...", options->untags, "Tags to take off (repeatable)")
      .repeatable();
  command.add_option("--note TEXT", options->note,
                     "A note in place of the one before; empty: none");
  command
      .add_option("--note-at STEP=TEXT", options->notes_at,
                  "A note at a step, shown on the charts; without TEXT it is removed (repeatable)")
      .repeatable();
  const Option star = command.add_flag("--star", options->star, "Star it");
  command.add_flag("--unstar", options->unstar, "Take the star off").excludes(star);
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  command.footer("Settings and records of a run are never changed.");
  add_on(command, *options, "On another machine");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    return options->on.empty() ? label(*options) : run_remotely(*options, typed, CommandKind::kAct);
  });
}

void add_tag(Command& app) {
  auto options = std::make_shared<LabelOptions>();
  Command command = app.add_command("tag", "Write tags on runs, or take them off");
  command.add_option("TAG", options->words, "Tags, separated by commas")
      .required()
      .not_empty("a tag");
  command.add_option("RUN", options->runs, "Runs, as for show").required();
  command.add_flag("--off", options->off, "Take the tags off");
  add_json(command, *options, "One JSON array of objects");
  add_runs_dir(command, *options);
  add_on(command, *options, "On another machine");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (!options->on.empty()) return run_remotely(*options, typed, CommandKind::kAct);
    (options->off ? options->untags : options->tags) = {options->words};
    return tag(*options);
  });
}

void add_rename(Command& app) {
  auto options = std::make_shared<LabelOptions>();
  Command command = app.add_command("rename", "Name a run; an empty name is that of its settings");
  add_run_name(command, *options);
  command.add_option("NAME", options->words, "The name to show").required();
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  add_on(command, *options, "On another machine");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (!options->on.empty()) return run_remotely(*options, typed, CommandKind::kAct);
    options->name = options->words;
    return label(*options);
  });
}

}  // namespace ringside::cli
