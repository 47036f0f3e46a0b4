// A command line of a person, such as "torchrun --nproc-per-node 4 train.py --lr 0.1", as the
// settings of a run whose ranks are that program. Any thread. Looks at files only, the small ones
// that say what a launcher does; asking Accelerate, which blocks, is up to the caller.
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

/// What a person asks for beside the command; unset: what the command says, else the default.
struct ScriptRequest {
  std::vector<std::string> command;  ///< as typed, launcher included
  std::optional<std::int64_t> ranks;
  std::vector<std::string> devices;      ///< GPU numbers or UUIDs, or "cpu" alone; empty: chosen
  std::string name;                      ///< empty: the script's file name
  std::string cwd;                       ///< empty: where this is called
  std::vector<std::string> environment;  ///< NAME=value
  std::string baseline;                  ///< "run", "reuse", "none" or a run; empty: "none"
  std::optional<std::int64_t> restarts;
  bool instrument = true;
  /// GPUs of this machine, for launchers that count them ("--nproc-per-node gpu"); unset: not
  /// known.
  std::optional<std::int64_t> gpus{};
  std::optional<std::int64_t> cores{};
  /// How Accelerate is asked where our table does not say all, such as ask_accelerate; without it
  /// the table and the plain lines of its file have to do.
  std::function<Result<AccelerateAnswer>(const AccelerateQuestion&)> ask{};
};

/// What a launcher's own words in the command came to.
struct ScriptCommand {
  std::vector<std::string> argv;      ///< what each rank runs: the launcher is left out
  std::optional<std::int64_t> ranks;  ///< the launcher's count
  /// What it counts instead: "gpu", "cpu", "auto" (GPUs, else cores) or "any" (GPUs, else one).
  std::string counted{};
  std::optional<std::int64_t> restarts;
  std::vector<std::string> devices{};      ///< those it names, or "cpu"
  std::vector<std::string> environment{};  ///< NAME=value that the launcher would set
  std::vector<std::string> notes;          ///< options that were left out, each in one sentence
  std::string name{};                      ///< of the program; empty: as argv says it
  std::string starts_ranks{};              ///< that it starts its ranks itself, in one sentence
};

/// Understands the launchers of launchers.h in front of a program, also behind `uv run` and the
/// like and in `sh -c` of one command. Any other command is taken as it is, but that a Python file
/// alone gets its Python, and that NAME=value in front goes to the environment. A bad request names
/// the option that cannot be carried out here (several nodes, for one) and what to do.
Result<ScriptCommand> understand(const ScriptRequest& request);

/// The settings of the run, not yet settled for a machine; `notes` gets what `understand` noted.
Result<messages::RunSpec> script_spec(const ScriptRequest& request,
                                      std::vector<std::string>& notes);

}  // namespace ringside::launch
