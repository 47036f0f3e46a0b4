// The helper on the far machine: `ringside serve-stdio`, started by ssh for somebody elsewhere. It
// answers questions that come on one descriptor, on the other, and ends with the first; it listens
// nowhere and touches nothing unasked, but that it keeps what Slurm says of jobs, as every command
// of ringside does. One thread, the caller's, and one that waits for squeue.
#pragma once

#include <string>

namespace ringside::remote {

/// Serves until `in` ends. `program`: the `ringside` whose commands are run. The exit code: 0, or 1
/// when what came was not of FORMAT.md or nobody takes the answers any more.
int serve(int in, int out, const std::string& program);

}  // namespace ringside::remote
