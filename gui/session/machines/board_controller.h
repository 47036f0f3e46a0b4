// The board of machines: asks this one, and those that a person watches, again and again while the
// board is looked at. Each is asked by a job of its own, so that one that hangs holds up no other;
// one that does not answer is asked again after a pause that grows. Main thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/session/jobs.h"
#include "gui/session/machines/machine_look.h"
#include "gui/view/command.h"
#include "gui/view/window/machine_board.h"

namespace ringside::session {

class BoardController {
 public:
  using LookHere = std::function<Result<view::MachineUse>()>;

  /// `here`: looks at this machine, one call at a time.
  BoardController(Jobs& jobs, LookHere here);
  /// Waits for nothing: questions that are under way are given up.
  ~BoardController();
  BoardController(const BoardController&) = delete;
  BoardController& operator=(const BoardController&) = delete;

  /// Adds other machines as people write them, "ssh://box"; those that are there already stay.
  void add(const std::vector<std::string>& addresses);
  void add(OtherMachine machine);
  void apply(const view::BoardCommand& command);
  /// Asks whom it is time for, where the board is looked at. True when something shown has changed.
  bool update(bool looked_at);
  /// Seconds until the next question is due; those of nobody who looks are never.
  double next_update_s() const;
  void fill(view::BoardInput& input) const;
  /// The other machines that are watched.
  std::vector<std::string> watched() const;
  /// Every question that was asked has its answer.
  bool settled() const;

 private:
  struct Entry {
    std::optional<OtherMachine> machine;  ///< nothing: this one
    std::int64_t due_ns = 0;              ///< of the next question, monotonic
  };
  void watch(const std::string& address, bool on);
  void ask(std::size_t place);
  void take(std::size_t place, const Result<view::MachineUse>& use);

  Jobs& jobs_;
  LookHere here_;
  std::vector<Entry> entries_;            ///< this machine first
  std::vector<view::BoardMachine> told_;  ///< what is shown of them
  std::string selected_;
  std::uint64_t revision_ = 1;
  std::uint64_t shown_ = 0;  ///< revision that update() told of
};

}  // namespace ringside::session
