#include "trainer/agent/reserved_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace ringside::agent {

Result<ReservedPort> ReservedPort::take() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (fd < 0 || ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(fd, generic, length) != 0 || ::getsockname(fd, generic, &length) != 0) {
    auto error =
        failure(std::string("cannot reserve a port on 127.0.0.1: ") + std::strerror(errno));
    if (fd >= 0) ::close(fd);
    return error;
  }
  return ReservedPort(fd, ntohs(address.sin_port));
}

ReservedPort::~ReservedPort() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace ringside::agent
