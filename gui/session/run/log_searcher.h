// Searches all output of the ranks of a run in a job, which is cancelled if another search begins
// or the run is closed. Main thread; the job touches nothing but the state it shares with this
// object.
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

  /// Searches the files of the newest attempt and of the agent for a text; empty: ends the search.
  void begin(const std::string& text);
  /// The results, or that the search is not done.
  const view::LogSearch& shown() const { return state_->shown; }
  /// Changes whenever shown() does.
  std::uint64_t revision() const { return 2 * begun_ + (state_->done ? 1U : 0U); }

 private:
  struct State {
    std::atomic<bool> cancelled{false};
    view::LogSearch shown;  ///< main thread only, as the next member
    bool done = false;
  };

  runlog::RunFolder folder_;
  Jobs& jobs_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::uint64_t begun_ = 0;
};

}  // namespace ringside::session
