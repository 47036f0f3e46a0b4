// What goes on on a machine now, as tables for the window and for a terminal: its GPUs and who uses
// them, the runs that have devices or wait for them, its partitions, and the processes that use
// most of it. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/view/table.h"
#include "gui/view/window/machine_use.h"

namespace ringside::view {

/// "box: 8 cores, load 5.3; 18.1 of 23.4 GiB memory free; 310.2 GiB disk free"
std::string machine_line(const MachineUse& use);

/// The tables that have rows.
std::vector<Table> machine_tables(const MachineUse& use);

}  // namespace ringside::view
