// Tells who is at the other end of a connection: the kernel is asked whose socket it is, since
// anybody on the machine can connect to a port of it. Any thread.
#pragma once

#include <sys/socket.h>

namespace ringside {

/// False where this kernel does not tell whose a socket is; then every peer counts as ours. Tried
/// once, with a connection to ourselves.
bool knows_peer_owners();

/// False where the peer of `fd`, a connected TCP socket, is on this host and another user's, or has
/// closed, which leaves nobody to ask about. Peers on other hosts and other kinds of sockets are
/// not judged.
bool peer_is_ours(int fd);

/// Whether a TCP connection is ours by the names of its two ends, where knows_peer_owners().
bool peer_is_ours(const sockaddr_storage& peer, const sockaddr_storage& local);

/// False where another user's socket listens at `address`, one of TCP that this host has. Addresses
/// of other hosts are not judged, nor is one where nobody listens.
bool listener_is_ours(const sockaddr* address, socklen_t size);

}  // namespace ringside
