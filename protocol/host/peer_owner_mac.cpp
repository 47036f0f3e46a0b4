#include "protocol/host/peer_owner.h"

namespace ringside {

// macOS has no call that tells who owns the other end of a connection.
bool knows_peer_owners() { return false; }

bool peer_is_ours(int) { return true; }
bool peer_is_ours(const sockaddr_storage&, const sockaddr_storage&) { return true; }
bool listener_is_ours(const sockaddr*, socklen_t) { return true; }

}  // namespace ringside
