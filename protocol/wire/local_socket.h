// The local socket between the ranks of custom programs and their agent, as in FORMAT.md; internal
// to this folder. Throws only when out of memory.
#pragma once

#include <sys/socket.h>

#include <filesystem>

#include "protocol/base/result.h"

namespace ringside::wire {

/// Calls connect or bind with the address of `path`, which may be longer than sockaddr_un allows.
/// The caller keeps the socket.
Result<void> at_local_socket(const std::filesystem::path& path, int socket,
                             int (*call)(int, const sockaddr*, socklen_t));

/// Creates a socket that is non-blocking and not inherited.
Result<int> make_local_socket();

/// An error of `what` and `path`, with the system's reason.
tl::unexpected<Error> local_failure(std::string_view what, const std::filesystem::path& path);

}  // namespace ringside::wire
