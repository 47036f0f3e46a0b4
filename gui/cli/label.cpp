// `ringside label RUN`: the name, tags and note that a person gives a run.
#include <algorithm>
#include <optional>

#include "gui/cli/commands.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/run_figures.h"
#include "protocol/base/printable.h"

namespace ringside::cli {
namespace {

struct LabelOptions : CommonOptions {
  std::optional<std::string> name;
  std::vector<std::string> tags;
  std::vector<std::string> untags;
  std::optional<std::string> note;
};

/// The labels with the requested changes.
runs::RunLabels labelled(runs::RunLabels labels, const LabelOptions& options) {
  if (options.name) labels.name = *options.name;
  if (options.note) labels.note = *options.note;
  std::string tags = runs::tags_text(labels.tags);
  for (const std::string& added : options.tags) tags += "," + added;
  labels.tags = runs::tags_of(tags);
  for (const std::string& list : options.untags) {
    for (const std::string& gone : runs::tags_of(list)) std::erase(labels.tags, gone);
  }
  return labels;
}

Result<int> label(const LabelOptions& options) {
  for (const auto& text : {options.name, options.note}) {
    if (text && !is_utf8(*text)) return bad_request("a name and a note are UTF-8, and this is not");
  }
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  const runs::RunLabels before = runs::read_labels(found.folder);
  const runs::RunLabels labels = labelled(before, options);
  if (labels != before) {
    RINGSIDE_TRY(runs::write_labels(found.folder, labels));
  }
  const runs::RunSummary run = runs::read_folder(found);
  if (options.json) {
    print(stdout, dump(Json{{"id", found.folder.id()},
                            {"name", run.name},
                            {"tags", labels.tags},
                            {"note", labels.note}}) +
                      "\n");
    return 0;
  }
  std::string text = runs::label_of(run) + " " + one_line(run.name) + "\n";
  text += "tags  " + (labels.tags.empty() ? "–" : one_line(runs::tags_text(labels.tags))) + "\n";
  text += "note  " + (labels.note.empty() ? "–" : one_line(labels.note)) + "\n";
  print(stdout, text);
  return 0;
}

}  // namespace

void add_label(Command& app) {
  auto options = std::make_shared<LabelOptions>();
  Command command =
      app.add_command("label", "Name a run, tag it, write a note on it; or print what it has");
  add_run_name(command, *options);
  command.add_option("--name", options->name, "Name to show; an empty one is that of its settings")
      .type("TEXT");
  command.add_option("--tag", options->tags, "Tags to add, separated by commas (repeatable)")
      .type("TAG,...")
      .repeatable();
  command.add_option("--untag", options->untags, "Tags to take off (repeatable)")
      .type("TAG,...")
      .repeatable();
  command.add_option("--note", options->note, "A note in place of the one before; empty: none")
      .type("TEXT");
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  command.footer("Settings and records of a run are never changed.");
  add_on(command, *options, "On another machine");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    return options->on.empty() ? label(*options) : run_there(*options, typed, Errand::kAct);
  });
}

}  // namespace ringside::cli
