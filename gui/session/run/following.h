// Chooses the run that the window opens by itself: runs that were started here,
// one when the other has finished, and at the start one that goes on. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gui/runs/catalogue.h"

namespace ringside::session {

class Following {
 public:
  /// Runs were started here: these are opened, in their order.
  void begin(std::vector<runlog::RunFolder> folders) { folders_ = std::move(folders); }
  void forget() { folders_.clear(); }
  /// Whether everything that was started here has been opened.
  bool all_open() const { return folders_.empty(); }
  /// The run to be opened now; none: nothing is left.
  std::optional<runlog::RunFolder> next() {
    if (folders_.empty()) return std::nullopt;
    const runlog::RunFolder folder = folders_.front();
    folders_.erase(folders_.begin());
    return folder;
  }

  /// A run was opened: one that goes on is looked for no more.
  void stop_looking() { looking_ = false; }
  /// A run that goes on, once: a window that was closed meanwhile finds it again. `all_read`: no
  /// other runs will be found.
  const runs::RunSummary* find_live(const std::vector<runs::RunSummary>& runs, bool all_read) {
    if (!looking_) return nullptr;
    const auto alive = std::find_if(runs.begin(), runs.end(), [](const runs::RunSummary& run) {
      return run.state.live && run.state.word != "queued";
    });
    const bool found = alive != runs.end();
    looking_ = !found && !all_read;
    return found ? &*alive : nullptr;
  }

 private:
  std::vector<runlog::RunFolder> folders_;
  bool looking_ = true;
};

}  // namespace ringside::session
