// The current use of a machine as tables for the window and the terminal: GPUs and their users,
// runs that hold or wait for devices, partitions, and the busiest processes. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/view/table.h"
#include "gui/view/window/machine_use.h"

namespace ringside::view {

/// Example: "box: 8 cores, load 5.3; 18.1 of 23.4 GiB memory free; 310.2 GiB disk free"
std::string machine_line(const MachineUse& use);

/// Returns the tables that have rows.
std::vector<Table> machine_tables(const MachineUse& use);

}  // namespace ringside::view
