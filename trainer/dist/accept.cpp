// Gloo and c10d's store take whoever connects for a rank, and any user of this host can reach their
// ports on loopback. They accept through these two functions, which the program defines in the
// place of libc's: a connection of another user is closed before a byte of it is read.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "protocol/base/peer_owner.h"

extern "C" {

__attribute__((visibility("default"))) int accept4(int listener, sockaddr* __restrict address,
                                                   socklen_t* __restrict size, int flags) {
  const socklen_t room = size != nullptr ? *size : 0;
  for (;;) {
    const int fd = static_cast<int>(::syscall(SYS_accept4, listener, address, size, flags));
    if (fd < 0 || ringside::peer_is_ours(fd)) return fd;
    ::close(fd);
    if (size != nullptr) *size = room;
  }
}

__attribute__((visibility("default"))) int accept(int listener, sockaddr* __restrict address,
                                                  socklen_t* __restrict size) {
  return ::accept4(listener, address, size, 0);
}

}  // extern "C"
