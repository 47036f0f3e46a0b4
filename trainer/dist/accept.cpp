#include "trainer/dist/accept.h"

#include <link.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "protocol/host/peer_owner.h"

namespace ringside::dist {
namespace {

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

int take_range_of_torch(dl_phdr_info* library, std::size_t /*size*/, void* range) {
  if (std::strstr(library->dlpi_name, "/libtorch_cpu.so") == nullptr) return 0;
  auto& found = *static_cast<AddressRange*>(range);
  for (const auto& part : std::span(library->dlpi_phdr, library->dlpi_phnum)) {
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = library->dlpi_addr + part.p_vaddr;
    found.begin = found.end == 0 ? begin : std::min(found.begin, begin);
    found.end = std::max(found.end, begin + part.p_memsz);
  }
  return 1;
}

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

// dladdr() would search all symbols of LibTorch for each connection, which takes milliseconds; a
// peer that connects repeatedly could keep the ranks from connecting.
bool accepts_judged(const void* caller) {
  static const AddressRange torch = [] {
    AddressRange range;
    ::dl_iterate_phdr(take_range_of_torch, &range);
    return range;
  }();
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return at >= torch.begin && at < torch.end;
}

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
