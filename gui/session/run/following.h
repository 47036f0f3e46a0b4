// Chooses the run that the window opens automatically: runs that were started here, each when the
// previous one has finished, and at the start one that is active. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gui/runs/catalogue.h"

namespace ringside::session {

class Following {
 public:
  /// Queues runs that were started here, to be opened in this order.
  void begin(std::vector<runlog::RunFolder> folders) { folders_ = std::move(folders); }
  void forget() { folders_.clear(); }
  /// Whether everything that was started here has been opened.
  bool all_open() const { return folders_.empty(); }
  /// The run to open now; none: all were opened.
  std::optional<runlog::RunFolder> next() {
    if (folders_.empty()) return std::nullopt;
    const runlog::RunFolder folder = folders_.front();
    folders_.erase(folders_.begin());
    return folder;
  }

  /// Stops looking for an active run, since a run was opened.
  void stop_looking() { looking_ = false; }
  /// Returns an active run, at most once, so that a reopened window shows it again. `all_read`: the
  /// list of runs is complete.
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
