// Turns a person's command line, such as "torchrun --nproc-per-node 4 train.py --lr 0.1", into the
// settings of a run whose ranks are that program. Any thread. Reads only the small files that say
// what a launcher does; asking Accelerate, which blocks, is left to the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/launchers/accelerate.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

/// Options in addition to the command; unset: from the command, or else the default.
struct ScriptRequest {
  std::vector<std::string> command;  ///< as typed, launcher included
  std::optional<std::int64_t> ranks;
  /// GPU numbers or UUIDs, or "cpu" alone; empty: chosen automatically.
  std::vector<std::string> devices;
  std::string name;                      ///< empty: the script's file name
  std::string cwd;                       ///< empty: the present working folder
  std::vector<std::string> environment;  ///< NAME=value
  std::string baseline;                  ///< "run", "reuse", "none" or a run; empty: "none"
  std::optional<std::int64_t> restarts;
  bool instrument = true;
  /// Number of this machine's GPUs, for launchers that count them ("--nproc-per-node gpu"); unset:
  /// unknown.
  std::optional<std::int64_t> gpus{};
  std::optional<std::int64_t> cores{};
  /// Function such as ask_accelerate that asks Accelerate where our table is not enough; without it
  /// the table and the simple lines of its configuration file are used.
  std::function<Result<AccelerateAnswer>(const AccelerateQuestion&)> ask{};
};

/// The launcher's options in the command, translated.
struct ScriptCommand {
  std::vector<std::string> argv;      ///< what each rank runs, without the launcher
  std::optional<std::int64_t> ranks;  ///< as given to the launcher
  /// What to count instead: "gpu", "cpu", "auto" (GPUs, else cores) or "any" (GPUs, else one).
  std::string counted{};
  std::optional<std::int64_t> restarts;
  std::vector<std::string> devices{};      ///< devices that it names, or "cpu"
  std::vector<std::string> environment{};  ///< variables that the launcher would set, NAME=value
  std::vector<std::string> notes;          ///< options that were left out, one sentence each
  std::string name{};                      ///< the program's name; empty: as in argv
  std::string starts_ranks{};              ///< a sentence if the program starts its ranks itself
};

/// Parses the launchers of launchers.h before a program, also after `uv run` and similar and in `sh
/// -c` with one command. Other commands are taken unchanged, except that a Python file alone gets a
/// Python, and that leading NAME=value words go to the environment. A bad request names the option
/// that is not supported here (such as several nodes) and what to do.
Result<ScriptCommand> understand(const ScriptRequest& request);

/// The settings of the run, not yet settled for a machine; `notes` gets the notes of `understand`.
Result<messages::RunSpec> script_spec(const ScriptRequest& request,
                                      std::vector<std::string>& notes);

}  // namespace ringside::launch
