// A command line of a person, such as "torchrun --nproc-per-node 4 train.py --lr 0.1", as the
// settings of a run whose ranks are that program. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/run_spec.h"

namespace ringside::launch {

/// What a person asks for beside the command; unset: what the command says, else the default.
struct ScriptRequest {
  std::vector<std::string> command;  ///< as typed, launcher included
  std::optional<std::int64_t> ranks;
  std::vector<std::string> devices;  ///< GPU numbers or UUIDs, or "cpu" alone; empty: chosen
  std::string name;                  ///< empty: the script's file name
  std::string cwd;                   ///< empty: where this is called
  std::vector<std::string> environment;  ///< NAME=value
  std::string baseline;                  ///< "run", "reuse", "none" or a run; empty: "none"
  std::optional<std::int64_t> restarts;
  bool instrument = true;
};

/// What a launcher's own words in the command came to.
struct ScriptCommand {
  std::vector<std::string> argv;       ///< what each rank runs: the launcher is left out
  std::optional<std::int64_t> ranks;   ///< the launcher's count
  std::optional<std::int64_t> restarts;
  std::vector<std::string> notes;      ///< options that were left out, each in one sentence
};

/// Understands `torchrun`, `python -m torch.distributed.run`, `python -m torch.distributed.launch`
/// and `accelerate launch` in front of a program; any other command is taken as it is. A bad
/// request names the option that cannot be carried out here (several nodes, for one) and what to do.
Result<ScriptCommand> understand(const std::vector<std::string>& command);

/// The settings of the run, not yet settled for a machine; `notes` gets what `understand` noted.
Result<messages::RunSpec> script_spec(const ScriptRequest& request, std::vector<std::string>& notes);

}  // namespace ringside::launch
