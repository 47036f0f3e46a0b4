// `ringside delete RUN|STUDY...`, also called `rm`, moves runs or studies to the trash; with
// --restore, and as `ringside restore`, it takes them back.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "gui/cli/command/commands.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/chosen_baseline.h"
#include "gui/runs/run_figures.h"
#include "gui/runs/studies/study.h"
#include "gui/runs/studies/study_trash.h"
#include "gui/runs/trash.h"
#include "protocol/base/text.h"

namespace ringside::cli {
namespace {

constexpr const char* kRunsOfStudy = "--runs is for a study (S-07), whose runs go with it";

struct DeleteOptions : CommonOptions {
  bool runs = false;
  bool restore = false;
  std::vector<std::string> names;
};

std::string runs_text(std::size_t count) {
  return count == 1 ? "1 run" : std::to_string(count) + " runs";
}

/// The runs of a folder by their baseline; read when first asked, since one command may delete
/// thousands of runs.
class BaselineUses {
 public:
  /// `going`: ids of runs that are deleted too, and so lose nothing.
  BaselineUses(std::filesystem::path runs_dir, std::set<std::string> going)
      : runs_dir_(std::move(runs_dir)), going_(std::move(going)) {}

  void read() {
    if (std::exchange(read_, true)) return;
    const auto listed = runs::list_runs(runs_dir_);
    if (!listed) return;
    for (const runs::ListedRun& run : *listed)
      if (const RunId id = baseline_of(run); !id.empty()) by_baseline_[id].push_back(run);
  }

  /// The runs that have lost this one as their baseline and have no other.
  std::vector<runs::ListedRun> left_by(const RunId& id) const {
    std::vector<runs::ListedRun> left;
    const auto found = by_baseline_.find(id);
    if (found == by_baseline_.end()) return left;
    std::ranges::copy_if(found->second, std::back_inserter(left), [&](const auto& run) {
      return baseline_of(run) == id && !going_.contains(run.folder.id());
    });
    return left;
  }

 private:
  static RunId baseline_of(const runs::ListedRun& run) {
    const auto spec = runs::read_spec(run.folder);
    return spec ? runs::baseline_id(run.folder, *spec) : RunId();
  }

  std::filesystem::path runs_dir_;
  std::set<std::string> going_;
  bool read_ = false;
  std::map<RunId, std::vector<runs::ListedRun>> by_baseline_;
};

std::string label_of(const runs::ListedRun& run) {
  return run.number > 0 ? "#" + std::to_string(run.number) : run.folder.id();
}

/// Returns the command that takes back what was deleted; a run keeps its number.
std::string undo_words(const DeleteOptions& options, std::string name) {
  if (name.starts_with('#')) name.erase(0, 1);
  return " (ringside restore " + name + (options.runs ? " --runs" : "") +
         where_found(options.runs_folder()) + ").";
}

/// Says whose speedup a deleted run takes with it; empty: nobody's.
std::string left_words(const std::vector<runs::ListedRun>& left) {
  constexpr std::size_t kMostNamed = 5;
  std::string named;
  for (std::size_t i = 0; i < left.size() && i < kMostNamed; ++i)
    add_listed(named, label_of(left[i]));
  if (left.size() > kMostNamed)
    named += " and " + std::to_string(left.size() - kMostNamed) + " more";
  if (named.empty()) return {};
  return " Without it " + named + (left.size() == 1 ? " has" : " have") + " no speedup.";
}

/// Prints what was done, as a sentence or as a JSON object.
int tell(const DeleteOptions& options, const std::string& sentence, const std::string& what,
         const std::string& folder, const std::vector<RunId>& runs,
         const std::vector<runs::ListedRun>* left = nullptr) {
  Json json = {
      {options.restore ? "restored" : "deleted", what}, {"folder", folder}, {"runs", runs}};
  if (left != nullptr) {
    json["baseline_of"] = Json::array();
    for (const runs::ListedRun& run : *left) json["baseline_of"].push_back(run.folder.id());
  }
  print(stdout, (options.json ? dump(json) : one_line(sentence)) + "\n");
  return 0;
}

Result<int> delete_run(const DeleteOptions& options, BaselineUses& uses) {
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  uses.read();
  const auto moved = RINGSIDE_TRY(runs::move_to_trash(options.runs_folder(), found.folder));
  const std::string id = found.folder.id();
  const auto left = uses.left_by(id);
  const std::string label = label_of(found);
  return tell(options, label + " is in the trash" + undo_words(options, label) + left_words(left),
              id, moved.string(), {id}, &left);
}

Result<int> restore_run(const DeleteOptions& options) {
  const auto found = RINGSIDE_TRY(runs::find_deleted_run(options.runs_folder(), options.run));
  const std::string id = found.folder.id();
  RINGSIDE_TRY(runs::take_from_trash(options.runs_folder(), id));
  return tell(options, label_of(found) + " was restored.", id,
              (options.runs_folder() / id).string(), {id});
}

Result<int> delete_study(const DeleteOptions& options) {
  const std::string name = runs::study_name(options.run);
  const auto own = RINGSIDE_TRY(options.runs ? runs::own_runs(options.runs_folder(), name)
                                             : Result<std::vector<RunId>>(std::vector<RunId>()));
  const auto moved = RINGSIDE_TRY(runs::trash_study(options.runs_folder(), name, own));
  const std::string with = options.runs ? " with " + runs_text(own.size()) : ", its runs stay";
  return tell(options, "Study " + name + " is in the trash" + with + undo_words(options, name),
              name, moved.string(), own);
}

Result<int> restore_study(const DeleteOptions& options) {
  const std::string name = runs::study_name(options.run);
  const auto own = RINGSIDE_TRY(options.runs ? runs::trashed_runs(options.runs_folder(), name)
                                             : Result<std::vector<RunId>>(std::vector<RunId>()));
  RINGSIDE_TRY(runs::restore_study(options.runs_folder(), name, own));
  const std::string with = options.runs ? " with " + runs_text(own.size()) : "";
  return tell(options, "Study " + name + " was restored" + with + ".", name,
              runs::studies_dir(options.runs_folder()).string(), own);
}

Result<int> delete_any(const DeleteOptions& options, BaselineUses& uses) {
  if (!runs::study_name(options.run).empty())
    return options.restore ? restore_study(options) : delete_study(options);
  return options.restore ? restore_run(options) : delete_run(options, uses);
}

/// Returns the id of the run or the name of the study that is meant. Bad request: there is none.
Result<std::string> meant_by(const DeleteOptions& options, const std::string& name) {
  const std::string study = runs::study_name(name);
  if (study.empty()) {
    if (options.runs) return bad_request(kRunsOfStudy);
    const auto found =
        RINGSIDE_TRY(options.restore ? runs::find_deleted_run(options.runs_folder(), name)
                                     : runs::find_run(options.runs_folder(), name));
    return found.folder.id();
  }
  const std::filesystem::path deleted = runs::deleted_studies_dir(options.runs_folder());
  std::error_code error;
  if (options.restore && !std::filesystem::exists(deleted / (study + ".toml"), error))
    return bad_request("no deleted study \"" + name + "\" in " + deleted.string());
  if (!options.restore) RINGSIDE_TRY(runs::own_runs(options.runs_folder(), study));
  return study;
}

/// Deletes or restores several items in turn, each once. If one name is unknown, nothing is
/// changed.
Result<int> delete_all(DeleteOptions options) {
  std::set<std::string> meant;
  std::vector<std::string> names;
  for (const std::string& name : options.names) {
    if (meant.insert(RINGSIDE_TRY(meant_by(options, name))).second) names.push_back(name);
  }
  BaselineUses uses(options.runs_folder(), meant);
  for (const std::string& name : names) {
    options.run = name;
    RINGSIDE_TRY(delete_any(options, uses));
  }
  return 0;
}

/// Declares a command that deletes, or restores; `chooses`: it has an option for that.
void add_several(Command& app, const char* name, const std::string& description, bool restore,
                 bool chooses = false) {
  auto options = std::make_shared<DeleteOptions>();
  options->restore = restore;
  Command command = app.add_command(name, description);
  command
      .add_option("RUN", options->names,
                  "Ids or unique prefixes, last, numbers of `ringside list`, or paths; or studies "
                  "(S-07)")
      .required();
  command.add_flag("--runs", options->runs,
                   "Of studies: with the runs that they made and no other study counts");
  if (chooses)
    command.add_flag("--restore", options->restore,
                     "Take deleted ones back, by id, number or name");
  add_json(command, *options, "One JSON object a line");
  add_runs_dir(command, *options);
  command.footer("Nothing is removed from the disk: runs lie in .trash of the runs folder.");
  add_on(command, *options, "On another machine");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    return options->on.empty() ? delete_all(*options)
                               : run_remotely(*options, typed, CommandKind::kAct);
  });
}

}  // namespace

void add_rm(Command& app) { add_several(app, "rm", "The same as delete", false); }

void add_restore(Command& app) {
  add_several(app, "restore", "Take runs or studies back from the trash", true);
}

void add_delete(Command& app) {
  add_several(app, "delete",
              "Move runs to the trash of the runs folder; or studies (S-07), whose runs stay",
              false, true);
}

}  // namespace ringside::cli
