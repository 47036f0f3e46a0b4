// Call stacks of ranks of the open run, in the window: the question, the permission, and a job that
// reads them with the code of `ringside stack`. Main thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "gui/session/jobs.h"
#include "gui/view/command.h"
#include "gui/view/live/stack_view.h"

namespace ringside::session {

class StackController {
 public:
  using Reader = std::function<Result<std::vector<launch::RankStack>>(
      const runlog::RunFolder& folder, Rank rank, const launch::Cancelled& cancelled)>;

  /// `read`: function that reads stacks; tests replace it.
  explicit StackController(Jobs& jobs, Reader read = launch::read_stacks);
  /// Cancels the jobs that are running, so that closing does not wait for them.
  ~StackController();
  StackController(const StackController&) = delete;
  StackController& operator=(const StackController&) = delete;

  /// `folder`: of the open run; null: no run is open, and nothing is read.
  void apply(const view::StackCommand& command, const runlog::RunFolder* folder);
  /// Closes the stacks, because another run or none is open.
  void close();
  bool open() const { return facts_.open; }
  view::StackView view() const { return view::build_stack_view(facts_); }

 private:
  void ask(const view::AskStack& wanted);
  void read(const runlog::RunFolder& folder);

  Jobs& jobs_;
  Reader read_;
  view::StackFacts facts_;
  std::shared_ptr<std::atomic<bool>> given_up_;  ///< of the newest job; null: there was none
  std::uint64_t readings_ = 0;
};

}  // namespace ringside::session
