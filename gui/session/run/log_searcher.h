// A search through all that the ranks of a run wrote, beside the frames; given up when another
// begins or the run is closed. Main thread; the work is a job that touches nothing of this but what
// they share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "gui/session/jobs.h"
#include "gui/view/live/log_view.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::session {

class LogSearcher {
 public:
  LogSearcher(runlog::RunFolder folder, Jobs& jobs);
  ~LogSearcher();
  LogSearcher(const LogSearcher&) = delete;
  LogSearcher& operator=(const LogSearcher&) = delete;

  /// Looks for a text in the files of the newest attempt and of the agent; empty: for none.
  void begin(const std::string& text);
  /// What was found, or that the search goes on.
  const view::LogSearch& shown() const { return state_->shown; }
  /// Changes with what is shown.
  std::uint64_t revision() const { return 2 * begun_ + (state_->done ? 1U : 0U); }

 private:
  struct State {
    std::atomic<bool> cancelled{false};
    view::LogSearch shown;  ///< main thread only, as the next
    bool done = false;
  };

  runlog::RunFolder folder_;
  Jobs& jobs_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::uint64_t begun_ = 0;
};

}  // namespace ringside::session
