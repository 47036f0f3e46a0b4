// Replaces libc's connect(), which Gloo and c10d's store use. When a rank's port has become free,
// another user may take it and receive what they send. A connection to another user's loopback
// listener therefore fails as if there were none.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "protocol/host/peer_owner.h"

extern "C" __attribute__((visibility("default"))) int connect(int fd, const sockaddr* address,
                                                              socklen_t size) {
  if (ringside::listener_is_ours(address, size))
    return static_cast<int>(::syscall(SYS_connect, fd, address, size));
  errno = ECONNREFUSED;
  return -1;
}
