#include "gui/session/folder_controller.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "gui/launch/child.h"
#include "gui/launch/paths.h"
#include "gui/runs/import_run.h"
#include "gui/runs/studies/study_trash.h"
#include "gui/runs/trash.h"
#include "gui/view/carry_out.h"
#include "gui/view/window/sheet_labels.h"
#include "protocol/base/variables.h"
#include "protocol/host/platform.h"

namespace ringside::session {
namespace {

/// Asks the desktop to show a file or folder, and waits for the program that it asks. Fails with
/// the path if no program can.
Result<void> show_on_desktop(const std::string& path) {
  std::string program = folder_opener();
  std::string shown = path;
  std::array<char*, 3> arguments{program.data(), shown.data(), nullptr};
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // The program gets a session of its own, so that it outlives the window and gets none of its
  // signals.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = -1;
  const int failed =
      ::posix_spawnp(&pid, program.c_str(), nullptr, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  int status = 0;
  if (failed == 0 && (::waitpid(pid, &status, 0) != pid || status == 0)) return {};
  std::string why = failed != 0 ? std::strerror(failed) : "a signal ended it";
  if (failed == 0 && WIFEXITED(status)) why = fmt::format("exit code {}", WEXITSTATUS(status));
  return failure(fmt::format("No program of this desktop shows {} ({}: {}).", path, program, why));
}

/// Returns the id of the imported run, or of the last one, as soon as it exists.
Result<std::string> start_watch(const std::filesystem::path& runs_dir, const std::string& path,
                                const launch::Cancelled& cancelled) {
  constexpr std::int64_t kLimitNs = 60'000'000'000;  // much may have to be imported first
  const auto program = RINGSIDE_TRY(launch::find_program("ringside"));
  const auto said = RINGSIDE_TRY(launch::capture(
      {program.string(), "watch", path, "--detach", "--json", "--runs-dir", runs_dir.string()},
      kLimitNs, cancelled));
  const auto json = nlohmann::json::parse(said.output, nullptr, false);
  const bool good = said.exit_code == 0 && json.is_object() && json.contains("runs");
  if (good && !json["runs"].empty()) return json["runs"].back().value("id", std::string());
  constexpr std::string_view kOurName = "ringside: ";
  std::string why = said.errors.substr(0, said.errors.find('\n'));
  if (why.starts_with(kOurName)) why.erase(0, kOurName.size());
  return bad_request(why.empty() ? path + " cannot be followed" : why);
}

}  // namespace

FolderController::FolderController(std::filesystem::path runs_dir, Around around, Jobs& jobs,
                                   RunsController& runs, MessageLine& line)
    : runs_dir_(std::move(runs_dir)),
      around_(std::move(around)),
      jobs_(jobs),
      runs_(runs),
      line_(line),
      chooser_(runs_dir_, jobs) {}

FolderController::~FolderController() { *leaving_ = true; }

void FolderController::trash(const std::string& id) {
  const runs::RunSummary* run = runs_.find(id);
  if (run == nullptr) return;
  const int number = run->number;
  const runlog::RunFolder folder = run->folder;
  const auto moved = runs::move_to_trash(runs_dir_, folder);
  if (!moved) return line_.notify(moved.error());
  around_.closing(id);
  trashed_.push_back({id, number});
  offer_undo(fmt::format("Run #{} was moved to {}.", number, moved->string()));
  runs_.scan();
}

void FolderController::offer_undo(std::string text) {
  view::Message message;
  message.tone = view::Tone::kInfo;
  message.text = std::move(text);
  message.action = view::label::kUndo;
  message.command = view::UndoTrash{};
  line_.show(std::move(message));
}

/// Reads the folders of all runs to find those that belong to this study alone.
void FolderController::trash_study(const view::TrashStudy& wanted) {
  if (!wanted.with_runs) {
    finish_trash_study(wanted.name, {});
    return;
  }
  jobs_.start("delete study",
              [this, runs_dir = runs_dir_, name = wanted.name]() -> Jobs::Completion {
                return [this, name, own = runs::own_runs(runs_dir, name)] {
                  if (own) {
                    finish_trash_study(name, *own);
                  } else {
                    line_.notify(own.error());
                  }
                };
              });
}

void FolderController::finish_trash_study(const std::string& name,
                                          const std::vector<std::string>& with) {
  const auto moved = runs::trash_study(runs_dir_, name, with);
  if (!moved) return line_.notify(moved.error());
  for (const std::string& id : with) around_.closing(id);
  trashed_.push_back({name, 0, with});
  offer_undo(with.empty()
                 ? fmt::format("Study {} was deleted; its runs stay.", name)
                 : fmt::format("Study {} was deleted with {} of its runs.", name, with.size()));
  if (around_.studies_changed) around_.studies_changed();
  runs_.scan();
}

void FolderController::restore_study(const Trashed& study) {
  const auto back = runs::restore_study(runs_dir_, study.id, study.runs);
  line_.notify(back, fmt::format("Study {} was restored.", study.id));
  if (around_.studies_changed) around_.studies_changed();
  runs_.scan();
}

/// Restores the run or study that was deleted last; each further call restores the one before.
void FolderController::undo_trash() {
  if (trashed_.empty()) return;
  const Trashed last = trashed_.back();
  trashed_.pop_back();
  if (!runs::study_name(last.id).empty()) {
    restore_study(last);
    return;
  }
  const auto back = runs::take_from_trash(runs_dir_, last.id);
  line_.notify(back ? view::Tone::kOk : view::Tone::kError,
               back ? fmt::format("Run #{} was restored.", last.number) : back.error().message);
  if (back) runs_.apply(view::SelectRun{last.id});
  runs_.scan();
}

/// Shows a file or folder in a job, since some desktops keep the program that was asked until what
/// it opened is closed.
void FolderController::show_path(const std::string& path) {
  if (path.empty()) return;
  jobs_.start(
      fmt::format("show {} {}", ++shown_, path),
      [this, path]() -> Jobs::Completion {
        auto shown = show_on_desktop(path);
        return [this, path, shown = std::move(shown)] {
          if (shown) return;
          view::Message message;
          message.tone = view::Tone::kWarning;
          message.text = shown.error().message;
          message.copies = path;
          line_.show(std::move(message));
        };
      },
      JobKind::kReads);
}

void FolderController::offer_import(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::equivalent(folder.parent_path(), runs_dir_, error) && !error) return;
  view::Message message;
  message.tone = view::Tone::kInfo;
  message.text =
      fmt::format("This run is outside the list of runs, in {}.", folder.parent_path().string());
  message.action = view::label::kImport;
  message.command = view::ImportRun{folder.string()};
  line_.show(std::move(message));
}

void FolderController::import_run(const std::string& path) {
  const bool begun = jobs_.start(
      "import", [this, path, runs_dir = runs_dir_, leaving = leaving_]() -> Jobs::Completion {
        auto copied = runs::import_run(runs_dir, path, *leaving);
        return [this, copied = std::move(copied)] {
          if (!copied) return line_.notify(copied.error());
          line_.notify(view::Tone::kOk, fmt::format("Run {} was imported.", copied->id()));
          runs_.apply(view::SelectRun{copied->id()});
          around_.imported();
        };
      });
  line_.notify(view::Tone::kInfo, begun ? fmt::format("Importing {}…", path)
                                        : "A run is being imported; try again when it is done.");
}

void FolderController::watch(const std::string& path) {
  const bool begun = jobs_.start(
      "watch", [this, path, runs_dir = runs_dir_, leaving = leaving_]() -> Jobs::Completion {
        auto id = start_watch(runs_dir, path, [leaving] { return leaving->load(); });
        return [this, id = std::move(id)] {
          if (!id) return line_.notify(id.error());
          runs_.scan();
          around_.watched(*id);
        };
      });
  line_.notify(view::Tone::kInfo, begun ? fmt::format("Following {}…", path)
                                        : "Something is being opened; try again when it is done.");
}

void FolderController::browse(view::ChooserUse use, const std::string& begin) {
  chooser_.ask(use, begin, [this, use](const std::string& path) {
    browsed_ = {use, path, browsed_.times + 1};
  });
}

void FolderController::fill(view::ScreenInput& input) const {
  chooser_.fill(input.chooser);
  input.browsed = browsed_;
}

void FolderController::apply(const view::FolderCommand& command, const std::string& open) {
  view::carry_out(
      command,
      [&](const view::OpenFolder& wanted) { show_path(wanted.path.empty() ? open : wanted.path); },
      [this](const view::TrashRun& wanted) { trash(wanted.id); },
      [this](const view::TrashStudy& wanted) { trash_study(wanted); },
      [this](const view::UndoTrash&) { undo_trash(); },
      [this](const view::ImportRun& wanted) { import_run(wanted.path); },
      [this](const view::BrowseRuns&) { browse(view::ChooserUse::kOpen, {}); },
      [this](const view::BrowseScript&) {
        chooser_.ask(view::ChooserUse::kScript, {}, around_.script_chosen);
      },
      [this](const view::WatchFolder&) {
        chooser_.ask(view::ChooserUse::kWatch, {},
                     [this](const std::string& path) { watch(path); });
      },
      [this](const view::BrowseExport& wanted) {
        using enum view::ChooserUse;
        browse(wanted.file ? kSaveFile : kSaveFolder, wanted.begin);
      },
      [this](const view::ListFolder& wanted) { chooser_.list(wanted.folder, wanted.make); },
      [this](const view::ChoosePath& answer) { chooser_.choose(answer.path); });
}

}  // namespace ringside::session
