#include "trainer/dist/accept.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "protocol/base/peer_owner.h"

namespace ringside::dist {

bool accepts_judged(const void* caller) {
  Dl_info found{};
  return ::dladdr(caller, &found) != 0 && found.dli_fname != nullptr &&
         std::strstr(found.dli_fname, "/libtorch_cpu.so") != nullptr;
}

namespace {

int accept_for(const void* caller, int listener, sockaddr* address, socklen_t* size, int flags) {
  const socklen_t room = size != nullptr ? *size : 0;
  for (;;) {
    const int fd = static_cast<int>(::syscall(SYS_accept4, listener, address, size, flags));
    if (fd < 0 || !accepts_judged(caller) || peer_is_ours(fd)) return fd;
    ::close(fd);
    if (size != nullptr) *size = room;
  }
}

}  // namespace
}  // namespace ringside::dist

extern "C" {

__attribute__((visibility("default"))) int accept4(int listener, sockaddr* __restrict address,
                                                   socklen_t* __restrict size, int flags) {
  return ringside::dist::accept_for(__builtin_return_address(0), listener, address, size, flags);
}

__attribute__((visibility("default"))) int accept(int listener, sockaddr* __restrict address,
                                                  socklen_t* __restrict size) {
  return ringside::dist::accept_for(__builtin_return_address(0), listener, address, size, 0);
}

}  // extern "C"
