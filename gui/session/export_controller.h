// Exports from the window: the question before, the job with its progress, and cancelling it. Main
// thread; the job touches nothing but the state it shares with this object.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/runs/find_run.h"
#include "gui/session/jobs.h"
#include "gui/session/message_line.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

/// State shared by a job and the main thread: its progress, and whether to cancel.
struct ExportProgress;

class ExportController {
 public:
  /// `wake` is called from the job when there is progress to show. `exports`: default folder for
  /// exports of the runs in `runs_dir`, with a subfolder per run; empty: each run's own folder.
  ExportController(std::filesystem::path runs_dir, Jobs& jobs, std::function<void()> wake,
                   MessageLine& line, std::filesystem::path exports = {});
  /// Cancels the export that is running, so that closing does not wait for it.
  ~ExportController();
  ExportController(const ExportController&) = delete;
  ExportController& operator=(const ExportController&) = delete;

  /// The default folder for exports and images of a run.
  std::filesystem::path place(const runlog::RunFolder& folder) const;
  /// The default folder for exports of several runs of the list.
  std::filesystem::path place_of_several() const;
  /// `open` is the folder of the open run, which an empty id refers to; empty: no run is open.
  void apply(const view::ExportCommand& command, const std::string& open);
  void fill(view::ExportInput& input) const;
  /// Progress of the export, 0 .. 1, in steps worth redrawing for; below 0: no export.
  double share() const;

 private:
  void ask(const std::vector<std::string>& ids);
  /// The runs of these ids; nothing, with a message, if one is not there.
  std::optional<std::vector<runs::ListedRun>> find(const std::vector<std::string>& ids);
  void begin(view::ExportRun wanted);

  std::filesystem::path runs_dir_;
  std::filesystem::path exports_;
  Jobs& jobs_;
  std::function<void()> wake_;
  MessageLine& line_;
  std::vector<runs::ListedRun> asking_;       ///< empty: no question is open
  std::shared_ptr<ExportProgress> progress_;  ///< of the newest export; null: there was none
};

}  // namespace ringside::session
