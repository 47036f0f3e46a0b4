// What the session does with run folders: deleting and taking back, opening in a file manager,
// copying into the list.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "gui/runs/import_run.h"
#include "gui/runs/trash.h"
#include "gui/session/run_actions.h"
#include "gui/session/session.h"
#include "gui/view/carry_out.h"
#include "gui/view/window/sheet_labels.h"

namespace ringside::session {

void Session::trash(const std::string& id) {
  const runs::RunSummary* run = runs_.find(id);
  if (run == nullptr) return;
  const int number = run->number;
  const runlog::RunFolder folder = run->folder;
  if (opened_ != nullptr && opened_->folder().id() == id) opened_.reset();
  const auto moved = runs::move_to_trash(options_.runs_dir, folder);
  if (!moved) {
    notify(view::Tone::kError, moved.error().message);
    return;
  }
  trashed_.push_back({id, number});
  view::Message message;
  message.tone = view::Tone::kInfo;
  message.text = fmt::format("Run #{} was moved to {}.", number, moved->string());
  message.action = view::label::kUndo;
  message.command = view::UndoTrash{};
  show(std::move(message));
  runs_.scan();
}

/// The run deleted last; again: the one before it.
void Session::undo_trash() {
  if (trashed_.empty()) return;
  const auto back = runs::take_from_trash(options_.runs_dir, trashed_.back().id);
  notify(
      back ? view::Tone::kOk : view::Tone::kError,
      back ? fmt::format("Run #{} was restored.", trashed_.back().number) : back.error().message);
  if (back) runs_.apply(view::SelectRun{trashed_.back().id});
  trashed_.pop_back();
  runs_.scan();
}

void Session::show_folder(const std::string& path) {
  const std::string folder = path.empty() ? open_folder() : path;
  if (folder.empty()) return;
  if (const auto shown = show_in_file_manager(folder); !shown)
    notify(view::Tone::kWarning, shown.error().message);
}

/// A run that lies elsewhere is shown where it lies, and can be taken into the list.
void Session::offer_import() {
  if (opened_ == nullptr) return;
  const std::filesystem::path folder = opened_->folder().path();
  std::error_code error;
  if (std::filesystem::equivalent(folder.parent_path(), options_.runs_dir, error) && !error) return;
  notify(view::Tone::kInfo, fmt::format("This run is outside the list of runs, in {}.",
                                        folder.parent_path().string()));
  message_.action = view::label::kImport;
  message_.command = view::ImportRun{folder.string()};
}

void Session::import_run(const std::string& path) {
  const bool begun = jobs_.start(
      "import",
      [this, path, runs_dir = options_.runs_dir, leaving = leaving_]() -> Jobs::Completion {
        auto copied = runs::import_run(runs_dir, path, *leaving);
        return [this, copied = std::move(copied)] {
          if (!copied) {
            notify(view::Tone::kError, copied.error().message);
            return;
          }
          notify(view::Tone::kOk, fmt::format("Run {} was imported.", copied->id()));
          runs_.apply(view::SelectRun{copied->id()});
          go_to(view::Page::kRuns);
        };
      });
  notify(view::Tone::kInfo, begun ? fmt::format("Importing {}…", path)
                                  : "A run is being imported; try again when it is done.");
}

void Session::browse() {
  if (!options_.folder_dialog.ask) return;
  // Without a folder to begin from some dialogs show what was used last, where nothing is chosen.
  std::string begin = browsed_.path.empty() ? options_.runs_dir.string() : browsed_.path;
  const bool begun = jobs_.start("browse", [this, begin, leaving = leaving_]() -> Jobs::Completion {
    auto chosen = options_.folder_dialog.ask("Open a run folder", begin, *leaving);
    return [this, chosen = std::move(chosen)] {
      if (chosen.empty()) return;
      browsed_.path = chosen;
      ++browsed_.times;
    };
  });
  if (!begun)
    notify(view::Tone::kInfo, "The dialog is open already; it may be behind another window.");
}

/// One run is shown at a time; a file in its folder stands for the folder.
void Session::open_dropped(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  std::filesystem::path first = paths.front();
  std::error_code ignored;
  if (std::filesystem::is_regular_file(first, ignored) &&
      std::filesystem::is_regular_file(first.parent_path() / "spec.toml", ignored))
    first = first.parent_path();
  showing_open_ = false;
  open_or_notify(first.string(), 0);
  if (paths.size() == 1) return;
  const std::string more = fmt::format(
      "Opened the first of {} dropped items: one run is shown at a time.", paths.size());
  if (message_.text.empty()) {
    notify(view::Tone::kInfo, more);
  } else {
    message_.text += " " + more;
  }
}

void Session::apply(const view::FolderCommand& command) {
  view::carry_out(
      command, [this](const view::OpenFolder& wanted) { show_folder(wanted.path); },
      [this](const view::TrashRun& wanted) { trash(wanted.id); },
      [this](const view::UndoTrash&) { undo_trash(); },
      [this](const view::ImportRun& wanted) { import_run(wanted.path); },
      [this](const view::BrowseRuns&) { browse(); });
}

}  // namespace ringside::session
