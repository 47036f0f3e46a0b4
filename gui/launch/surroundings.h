// What goes on on this machine beside what it offers: whose turn it is on its devices, ranks that
// no agent looks after any more, and whether our programs belong together. Reads /proc and asks our
// own programs; any thread, blocks for a moment.
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
  std::string version;  ///< first line of --version; empty when it does not work
  std::string torch;    ///< "PyTorch 2.11.0" where it says so; empty: it has none
  std::string problem;
};

struct Surroundings {
  Machine machine;
  std::vector<DeviceTicket> tickets;  ///< of studies that have devices, or wait
  std::vector<Orphan> orphans;
  std::vector<ProgramAnswer> programs;  ///< empty: not asked
};

/// Tickets and orphans as of now; programs are not asked.
Surroundings look_around(Machine machine);

/// Processes of this user that an agent started as ranks, or that those started, and whose agent
/// does not live any more.
std::vector<Orphan> find_orphans();

struct RankProcess {
  Rank rank = 0;
  std::int64_t pid = 0;
  std::int32_t attempt = 0;
};
/// The processes on this machine that an agent started as ranks of the run, ascending by rank; not
/// those that they started themselves.
std::vector<RankProcess> find_ranks(const runlog::RunFolder& folder);

/// A program that runs, as the kernel counts it.
struct ProcessUse {
  std::int64_t pid = 0;
  std::string user;               ///< name, or number where it has none
  std::string words;              ///< its command line, secrets hidden
  std::int64_t cpu_ns = 0;        ///< processor time of all its threads so far
  std::int64_t memory_bytes = 0;  ///< resident
  RunId run;  ///< that it is part of; empty: none, or its environment cannot be read
};
/// All of this machine that can be seen, in no order; not the threads of the kernel.
std::vector<ProcessUse> read_processes();

/// "uid 1003 · python 218114"; "pid 218114" where the process cannot be looked at.
std::string describe_process(std::int64_t pid);

/// agent, trainer, data and dashboard, in this order.
std::vector<ProgramAnswer> ask_programs(const Cancelled& cancelled = {});

/// The python3 in PATH, which scripts are started with, and its PyTorch; nothing is imported.
ProgramAnswer ask_python(const Cancelled& cancelled = {});

}  // namespace ringside::launch
