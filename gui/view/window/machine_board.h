// The board of machines: this one, those of ~/.ssh/config and those used lately, with the
// partitions of their Slurm, as one table; what goes on on the chosen one; and where the next run
// finds room first. Pure.
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

/// A machine as far as it is known.
struct BoardMachine {
  std::string address{};            ///< as people write it, "ssh://box"; empty: this one
  bool watched = false;             ///< asked again and again while somebody looks at the board
  bool asking = false;              ///< its answer is due
  std::optional<MachineUse> use{};  ///< as it answered last; nothing: it never did
  std::int64_t answered_wall_ns = 0;
  std::string problem{};  ///< why the last question has no answer; empty: it has, or none was asked
  std::int64_t failed_wall_ns = 0;
  int retry_s = 0;  ///< the pause before the next question, after a failed one
};

/// What the next run wants of a machine, as devices.kind and devices.world_size.
struct DeviceNeed {
  std::string kind = "auto";
  std::int64_t ranks = 1;
};

struct BoardInput {
  std::span<const BoardMachine> machines;
  std::string selected;        ///< key of a row; one that no row has: the first
  DeviceNeed need;             ///< of what is on the form of Launch
  std::uint64_t revision = 0;  ///< of machines and selection
};

/// The machine of a row, or one partition of it.
struct BoardRow {
  std::string address;
  std::string partition;  ///< empty: the machine itself
  bool watched = false;
};

/// How a machine stands: "answered 14:32:07", "does not answer since 14:31:40".
StateView contact_view(const BoardMachine& machine);

/// What is on the board, a row for each machine and each partition, in the order of `rows`.
struct BoardTable {
  Table table;
  std::vector<BoardRow> rows;
};
BoardTable board_table(std::span<const BoardMachine> machines);

/// Where the next run has room now.
struct FreePlace {
  std::string address;
  std::string why;  ///< "This machine: 3 of 4 GPUs free"
};
/// The first machine whose newest question was answered and that has so many free devices; one with
/// GPUs goes before one with cores alone where the run takes either. Nothing: there is none.
std::optional<FreePlace> first_free(std::span<const BoardMachine> machines, const DeviceNeed& need);

struct BoardView {
  BoardTable board;
  std::size_t selected = 0;  ///< row
  std::string hint;          ///< how there come to be more machines; empty: there are
  Sentence first;            ///< where the next run finds room first, or that there is none
  std::optional<FreePlace> room{};
  std::string title;            ///< of what goes on on the selected machine
  Sentence told;                ///< where nothing is known of it, why; else what is wrong there
  std::vector<Table> tables{};  ///< what goes on there
};
BoardView build_board(const BoardInput& input);

/// What opens the form of Launch with this machine or partition as its place.
SelectMachine launch_on(const std::string& address, const std::string& partition = {});

}  // namespace ringside::view
