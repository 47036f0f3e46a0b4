// The number of files that an agent has open at once, and the limit on it: libzmq ends the process
// when it gets no descriptor. Called on the agent's main thread before it opens a socket.
#pragma once

#include <cstdint>

#include "protocol/base/result.h"

namespace ringside::agent {

/// Maximum number of open files of an agent with this many run folders, whose runs have at most
/// `ranks` processes. Viewers are extra, and are refused when there is no room for them.
std::uint64_t open_files_needed(std::uint64_t runs, std::uint64_t ranks);

/// Raises the limit of this process if it is below `needed`. A bad request if that is more than the
/// system allows.
Result<void> make_room_for_files(std::uint64_t needed);

}  // namespace ringside::agent
