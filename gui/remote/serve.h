// The helper on the remote machine: `ringside serve-stdio`, started by ssh. It answers on one
// descriptor the questions that come on another, and ends when that one ends. It opens no port and
// changes nothing unasked, except that it stores the state of Slurm's jobs as every command of
// ringside does. Runs on the caller's thread, with another one that waits for squeue.
#pragma once

#include <string>

namespace ringside::remote {

/// Serves until `in` ends. `program`: the `ringside` whose commands are run. Returns the exit code:
/// 0, or 1 if the input does not follow FORMAT.md or the answers cannot be written.
int serve(int in, int out, const std::string& program);

}  // namespace ringside::remote
