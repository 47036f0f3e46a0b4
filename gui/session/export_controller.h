// Exports from the window: the question, the work beside the frames with its progress, giving it
// up. Main thread; the work runs in a job and touches nothing of this but what they share.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "gui/runs/find_run.h"
#include "gui/session/jobs.h"
#include "gui/session/message_line.h"
#include "gui/view/window/screen_input.h"

namespace ringside::session {

/// What a job and the frames share: how far it is, and whether it is to leave.
struct ExportProgress;

class ExportController {
 public:
  /// `wake` is called from the job when there is progress to show. `exports`: where those of runs
  /// in `runs_dir` go by themselves, a folder for each run; empty: into the run's own.
  ExportController(std::filesystem::path runs_dir, Jobs& jobs, std::function<void()> wake,
                   MessageLine& line, std::filesystem::path exports = {});
  /// Cancels the export that is running, so that closing does not wait for it.
  ~ExportController();
  ExportController(const ExportController&) = delete;
  ExportController& operator=(const ExportController&) = delete;

  /// Where exports and pictures of a run go by themselves.
  std::filesystem::path place(const runlog::RunFolder& folder) const;
  /// `open` is the folder of the open run, empty without one: what an empty id means.
  void apply(const view::ExportCommand& command, const std::string& open);
  void fill(view::ExportInput& input) const;
  /// How far the export is, 0 .. 1 in steps that are worth a frame; below 0: there was none.
  double share() const;

 private:
  void ask(const std::string& run);
  void begin(view::ExportRun wanted);

  std::filesystem::path runs_dir_;
  std::filesystem::path exports_;
  Jobs& jobs_;
  std::function<void()> wake_;
  MessageLine& line_;
  std::optional<runs::ListedRun> asking_;
  std::shared_ptr<ExportProgress> progress_;  ///< of the newest export; null: there was none
};

}  // namespace ringside::session
