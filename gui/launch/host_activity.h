// Activity on this machine: which studies have or wait for its devices, orphaned ranks, and
// whether our programs are of one version. Reads /proc and calls our own programs; any thread,
// blocks briefly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/launch/machine.h"
#include "protocol/base/ids.h"
#include "protocol/host/device_queue.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::launch {

/// A process of a run whose agent is gone.
struct Orphan {
  std::int64_t pid = 0;
  RunId run;
  std::string program;
};

struct ProgramAnswer {
  std::string name;
  std::string version;  ///< first line of --version; empty if it does not run
  std::string torch;    ///< "PyTorch 2.11.0" if it reports that; empty: none
  std::string problem;
};

struct HostActivity {
  Machine machine;
  std::vector<DeviceTicket> tickets;  ///< of studies that have devices or wait for them
  std::vector<Orphan> orphans;
  std::vector<ProgramAnswer> programs;  ///< empty: not asked
};

/// Current tickets and orphans; programs are not called.
HostActivity inspect_host(Machine machine);

/// Processes of this user that an agent started as ranks, and their children, if the agent is dead.
std::vector<Orphan> find_orphans();

struct RankProcess {
  Rank rank = 0;
  std::int64_t pid = 0;
  std::int32_t attempt = 0;
};
/// The processes on this machine that an agent started as ranks of the run, ascending by rank,
/// without their children.
std::vector<RankProcess> find_ranks(const runlog::RunFolder& folder);

/// Resource use of a process according to the kernel.
struct ProcessUse {
  std::int64_t pid = 0;
  std::string user;               ///< user name, or number if there is no name
  std::string words;              ///< its command line with secrets hidden
  std::int64_t cpu_ns = 0;        ///< processor time of all its threads so far
  std::int64_t memory_bytes = 0;  ///< resident
  RunId run;  ///< run that it belongs to; empty: none, or its environment cannot be read
};
/// All visible processes of this machine, unordered; without kernel threads.
std::vector<ProcessUse> read_processes();

/// Text such as "uid 1003 · python 218114"; "pid 218114" if the process cannot be inspected.
std::string describe_process(std::int64_t pid);

/// Versions of agent, trainer, data and dashboard, in this order.
std::vector<ProgramAnswer> ask_programs(const Cancelled& cancelled = {});

/// The python3 in PATH, which scripts are started with, and its PyTorch; nothing is imported.
ProgramAnswer ask_python(const Cancelled& cancelled = {});

}  // namespace ringside::launch
