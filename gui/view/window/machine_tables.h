// What goes on on a machine now, as tables for a terminal and for JSON: its GPUs and who uses them,
// the runs that have devices or wait for them, and the processes that use most of it. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gui/launch/surroundings.h"
#include "gui/view/table.h"

namespace ringside::view {

struct ProcessLoad {
  launch::ProcessUse process;
  double cores = 0;  ///< mean number that it kept busy between two looks; NaN: not known yet
};

/// What was used between two looks that lie `seconds` apart; of processes that were there at both.
std::vector<ProcessLoad> loads_of(const std::vector<launch::ProcessUse>& before,
                                  std::vector<launch::ProcessUse> now, double seconds);

struct MachineUse {
  launch::Surroundings around;
  std::vector<ProcessLoad> processes;
  double load = 0;  ///< of the last minute, as the kernel counts it
  std::int64_t now_wall_ns = 0;
};

/// "box: 8 cores, load 5.3; 18.1 of 23.4 GiB memory free"
std::string machine_line(const MachineUse& use);

/// The tables that have rows. `name`: how people call a run, "run #12". Of processes those of runs
/// and of GPUs, and the busiest others, the busiest first, `most` of them at most.
std::vector<Table> machine_tables(const MachineUse& use,
                                  const std::function<std::string(const RunId&)>& name,
                                  std::size_t most);

}  // namespace ringside::view
