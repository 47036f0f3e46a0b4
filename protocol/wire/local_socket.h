// The local socket between the ranks of other people's programs and their agent, as FORMAT.md has
// it; internal to this folder. No exceptions but for want of memory.
#pragma once

#include <sys/socket.h>

#include <filesystem>

#include "protocol/base/result.h"

namespace ringside::wire {

/// Calls connect or bind with the address of `path`, which may be as long as it likes. The socket
/// stays the caller's.
Result<void> at_local_socket(const std::filesystem::path& path, int socket,
                             int (*call)(int, const sockaddr*, socklen_t));

/// Makes a socket that neither blocks nor is inherited.
Result<int> make_local_socket();

/// `what`, on what and the system's reason.
tl::unexpected<Error> local_failure(std::string_view what, const std::filesystem::path& path);

}  // namespace ringside::wire
