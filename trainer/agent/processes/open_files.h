// How many files an agent has open at once, and the limit on them: libzmq ends the process where it
// gets no descriptor. The agent's main thread, before it opens a socket.
#pragma once

#include <cstdint>

#include "protocol/base/result.h"

namespace ringside::agent {

/// Open files of an agent with so many run folders, of which no run has more than `ranks`
/// processes; viewers come on top, and are refused where there is no room for them.
std::uint64_t open_files_needed(std::uint64_t runs, std::uint64_t ranks);

/// Raises the limit of this process where it is below `needed`. A bad request where that is more
/// than the system allows it.
Result<void> make_room_for_files(std::uint64_t needed);

}  // namespace ringside::agent
