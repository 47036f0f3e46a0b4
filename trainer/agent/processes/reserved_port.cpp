#include "trainer/agent/processes/reserved_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ringside::agent {
namespace {

/// A socket bound to the port, 0: of the system's choice, which `port` then tells.
Result<int> bound_socket(const std::string& host, int& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int on = 1;
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (fd < 0 || ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1 ||
      ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(fd, generic, length) != 0 || ::getsockname(fd, generic, &length) != 0) {
    auto error = failure("cannot reserve a port on " + host + ": " + std::strerror(errno));
    if (fd >= 0) ::close(fd);
    return error;
  }
  port = ntohs(address.sin_port);
  return fd;
}

}  // namespace

Result<ReservedPort> ReservedPort::take(const std::string& address) {
  int port = 0;
  const auto fd = RINGSIDE_TRY(bound_socket(address, port));
  return ReservedPort(address, fd, port);
}

Result<void> ReservedPort::open() {
  if (listener_ >= 0) return {};
  int port = port_;
  const auto fd = RINGSIDE_TRY(bound_socket(address_, port));
  listener_ = fd;
  if (::listen(listener_, SOMAXCONN) == 0) return {};
  auto error = failure("cannot listen on " + address_ + ": " + std::strerror(errno));
  shut();
  return error;
}

void ReservedPort::shut() {
  if (listener_ >= 0) ::close(std::exchange(listener_, -1));
}

ReservedPort::~ReservedPort() {
  shut();
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace ringside::agent
