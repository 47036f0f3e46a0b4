// Finds which user is at the other end of a connection, by asking the kernel who owns the socket:
// any user of the machine can connect to a port. Any thread.
#pragma once

#include <sys/socket.h>

namespace ringside {

/// False when this kernel does not report the owners of sockets; every peer then counts as ours.
/// Tested once, with a connection to ourselves.
bool knows_peer_owners();

/// False when the peer of `fd`, a connected TCP socket, belongs to another user of this host, or
/// has closed, so that its owner is unknown. True for peers on other hosts and for other kinds of
/// sockets.
bool peer_is_ours(int fd);

/// Whether a TCP connection, given by the addresses of its two ends, is ours. Requires
/// knows_peer_owners().
bool peer_is_ours(const sockaddr_storage& peer, const sockaddr_storage& local);

/// False when another user's socket listens at `address`, a TCP address of this host. True for
/// addresses of other hosts and when nobody listens.
bool listener_is_ours(const sockaddr* address, socklen_t size);

}  // namespace ringside
