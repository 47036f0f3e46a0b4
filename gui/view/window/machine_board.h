// The board of machines: this machine, those of ~/.ssh/config and recently used ones, with their
// Slurm partitions, as one table; details of the selected machine; and where the next run can start
// first. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/view/command.h"
#include "gui/view/state_view.h"
#include "gui/view/table.h"
#include "gui/view/window/machine_use.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kAskAll = "Ask all";
inline constexpr const char* kLaunchHere = "Launch here";
inline constexpr const char* kItsRuns = "Its runs";
inline constexpr const char* kLaunchThere = "Launch there";
}  // namespace label

/// The known facts about a machine.
struct BoardMachine {
  std::string address{};            ///< "ssh://box"; empty: this machine
  bool watched = false;             ///< asked repeatedly while the board is visible
  bool asking = false;              ///< an answer is awaited
  std::optional<MachineUse> use{};  ///< the last answer; empty: it has never answered
  std::int64_t answered_wall_ns = 0;
  std::string problem{};  ///< why the last request failed; empty: it succeeded, or there was none
  std::int64_t failed_wall_ns = 0;
  int retry_s = 0;     ///< pause before the next request after a failed one
  bool stale = false;  ///< the last answer is too old to count on, see is_stale()
};

/// The devices that the next run needs, as in devices.kind and devices.world_size.
struct DeviceNeed {
  std::string kind = "auto";
  std::int64_t ranks = 1;
};

struct BoardInput {
  std::span<const BoardMachine> machines;
  std::string selected;        ///< key of a row; an unknown key selects the first
  DeviceNeed need;             ///< what the form of Launch asks for
  std::uint64_t revision = 0;  ///< changes with the machines and the selection
};

/// The machine of a row, or one of its partitions.
struct BoardRow {
  std::string address;
  std::string partition;  ///< empty: the machine itself
  bool watched = false;
};

/// Whether the last answer is older than two minutes.
bool is_stale(const BoardMachine& machine, std::int64_t now_wall_ns);

/// Returns the state of the connection: "answered 14:32:07", "does not answer since 14:31:40".
StateView contact_view(const BoardMachine& machine);

/// The board with a row for each machine and each partition; `rows` is in the same order.
struct BoardTable {
  Table table;
  std::vector<BoardRow> rows;
};
BoardTable board_table(std::span<const BoardMachine> machines);

/// The machine on which the next run can start now.
struct FreePlace {
  std::string address;
  std::string why;  ///< "This machine: 3 of 4 GPUs free"
};
/// Returns the first machine that answered the latest request, not long ago, and has enough free
/// devices; if the run takes either kind, machines with GPUs are preferred. Empty if there is none.
std::optional<FreePlace> first_free(std::span<const BoardMachine> machines, const DeviceNeed& need);

struct BoardView {
  BoardTable board;
  std::size_t selected = 0;  ///< index of the row
  std::string hint;          ///< how to add machines; empty: there are several
  Sentence first;            ///< where the next run can start first, or that no machine has room
  std::optional<FreePlace> room{};
  std::string title;            ///< title of the selected machine's details
  Sentence told;                ///< a problem of the machine, or why nothing is known about it
  std::vector<Table> tables{};  ///< details of the selected machine
};
BoardView build_board(const BoardInput& input);

/// Returns the command that opens Launch with this machine or partition as the place of the run.
SelectMachine launch_on(const std::string& address, const std::string& partition = {});

}  // namespace ringside::view
