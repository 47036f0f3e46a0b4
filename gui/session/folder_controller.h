// The window's actions on run folders: deleting and restoring them, showing them in a file manager,
// importing them, and asking for a path. Main thread; slow work runs in jobs.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gui/session/jobs.h"
#include "gui/session/message_line.h"
#include "gui/session/path_chooser.h"
#include "gui/session/runs_controller.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

class FolderController {
 public:
  struct Around {
    std::function<void(const std::string& id)> closing;  ///< the folder of a run was removed
    std::function<void()> imported;                      ///< selects the new run in the list
    std::function<void(const std::string& path)> script_chosen = {};
    std::function<void(const std::string& id)> watched =
        {};  ///< a run that another tool writes and that is now followed
    std::function<void()> studies_changed = {};
  };

  FolderController(std::filesystem::path runs_dir, Around around, Jobs& jobs, RunsController& runs,
                   MessageLine& line);
  ~FolderController();
  FolderController(const FolderController&) = delete;
  FolderController& operator=(const FolderController&) = delete;

  /// `open`: the folder of the open run; empty: none.
  void apply(const view::FolderCommand& command, const std::string& open);
  /// Shows a run outside of the list from its folder and offers to import it.
  void offer_import(const std::filesystem::path& folder);
  /// Follows what another tool writes there with `ringside watch`, which outlives the window.
  void watch(const std::string& path);
  void fill(view::ScreenInput& input) const;

 private:
  /// A deleted run, or a study with the runs that were deleted with it.
  struct Trashed {
    std::string id;
    int number = 0;  ///< of a run; 0 for a study
    std::vector<std::string> runs = {};
  };

  void trash(const std::string& id);
  void trash_study(const view::TrashStudy& wanted);
  void finish_trash_study(const std::string& name, const std::vector<std::string>& with);
  /// Shows a message that offers Undo.
  void offer_undo(std::string text);
  void restore_study(const Trashed& study);
  void undo_trash();
  void import_run(const std::string& path);
  /// Asks for a path for a field of a sheet.
  void browse(view::ChooserUse use, const std::string& begin);
  void show_path(const std::string& path);

  std::filesystem::path runs_dir_;
  Around around_;
  Jobs& jobs_;
  RunsController& runs_;
  MessageLine& line_;
  std::vector<Trashed> trashed_;  ///< the last one was deleted last
  PathChooser chooser_;
  view::Browsed browsed_;
  int shown_ = 0;  ///< number of paths that the desktop was asked to show
  std::shared_ptr<std::atomic<bool>> leaving_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace ringside::session
