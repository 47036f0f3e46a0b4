#include "trainer/agent/processes/reserved_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ringside::agent {
namespace {

/// Binds a socket to `port`; for 0 the system chooses a port, which is stored in `port`.
Result<Descriptor> bound_socket(const std::string& host, int& port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int fd = socket.get();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int on = 1;
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (fd < 0 || ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1 ||
      ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(fd, generic, length) != 0 || ::getsockname(fd, generic, &length) != 0)
    return failure("cannot reserve a port on " + host + ": " + std::strerror(errno));
  port = ntohs(address.sin_port);
  return socket;
}

}  // namespace

Result<ReservedPort> ReservedPort::take(const std::string& address) {
  int port = 0;
  auto socket = RINGSIDE_TRY(bound_socket(address, port));
  return ReservedPort(address, std::move(socket), port);
}

Result<void> ReservedPort::open() {
  if (listener() >= 0) return {};
  int port = port_;
  auto socket = RINGSIDE_TRY(bound_socket(address_, port));
  if (::listen(socket.get(), SOMAXCONN) != 0)
    return failure("cannot listen on " + address_ + ": " + std::strerror(errno));
  listener_ = std::move(socket);
  return {};
}

}  // namespace ringside::agent
