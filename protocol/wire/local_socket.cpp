#include "protocol/wire/local_socket.h"

#include <fcntl.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "protocol/host/descriptor.h"
#include "protocol/host/platform.h"

namespace ringside::wire {

Result<void> at_local_socket(const std::filesystem::path& path, int socket,
                             int (*call)(int, const sockaddr*, socklen_t)) {
  const Descriptor folder(::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return local_failure("cannot open", path.parent_path());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s",
                                   folder.get(), path.filename().c_str());
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof address.sun_path)
    return failure("the name of " + path.string() + " is too long");
  if (call(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return {};
  return local_failure("no local socket at", path);
}

Result<int> make_local_socket() {
  const int fd = open_socket(AF_UNIX, SOCK_STREAM, true);
  if (fd < 0) return failure(std::string("cannot make a socket: ") + std::strerror(errno));
  return fd;
}

tl::unexpected<Error> local_failure(std::string_view what, const std::filesystem::path& path) {
  const int reason = errno;
  return failure(std::string(what) + " " + path.string() + ": " + std::strerror(reason));
}

}  // namespace ringside::wire
