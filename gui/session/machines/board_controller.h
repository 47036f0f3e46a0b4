// The board of machines: queries this machine, and those that a person watches, at an interval
// while the board is on the screen. Each query is a job of its own, so one that hangs delays no
// other. A machine that does not respond is queried again after growing pauses. Main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/session/jobs.h"
#include "gui/session/machines/machine_query.h"
#include "gui/view/command.h"
#include "gui/view/window/machine_board.h"

namespace ringside::session {

class BoardController {
 public:
  using LookHere = std::function<Result<view::MachineUse>()>;

  /// `here`: queries this machine, one call at a time.
  BoardController(Jobs& jobs, LookHere here);
  /// Abandons queries in progress without waiting.
  ~BoardController();
  BoardController(const BoardController&) = delete;
  BoardController& operator=(const BoardController&) = delete;

  /// Adds other machines by address, "ssh://box"; known ones are unchanged.
  void add(const std::vector<std::string>& addresses);
  void add(OtherMachine machine);
  void apply(const view::BoardCommand& command);
  /// Starts queries that are due if the board is on the screen. True if something shown has
  /// changed.
  bool update(bool looked_at);
  /// Seconds until the next query is due; infinite while the board is not on the screen.
  double next_update_s() const;
  void fill(view::BoardInput& input) const;
  std::vector<std::string> watched() const;
  /// Whether no query is in progress.
  bool settled() const;

 private:
  struct Entry {
    std::optional<OtherMachine> machine;  ///< nothing: this one
    std::int64_t due_ns = 0;              ///< monotonic time of the next query
  };
  void watch(const std::string& address, bool on);
  void ask(std::size_t place);
  void take(std::size_t place, const Result<view::MachineUse>& use);

  Jobs& jobs_;
  LookHere here_;
  std::vector<Entry> entries_;            ///< this machine first
  std::vector<view::BoardMachine> told_;  ///< the rows that are shown
  std::string selected_;
  std::uint64_t revision_ = 1;
  std::uint64_t shown_ = 0;  ///< last revision that update() reported
};

}  // namespace ringside::session
