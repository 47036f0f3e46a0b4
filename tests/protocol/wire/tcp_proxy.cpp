#include "tests/protocol/wire/tcp_proxy.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace ringside::wire {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

TcpProxy::TcpProxy(const std::string& to_endpoint)
    : target_port_(
          static_cast<std::uint16_t>(std::stoul(to_endpoint.substr(to_endpoint.rfind(':') + 1)))) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("no proxy port");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { run(); });
}

TcpProxy::~TcpProxy() {
  stop_.store(true);
  thread_.join();
  ::close(listener_);
}

std::string TcpProxy::endpoint() const { return "tcp://127.0.0.1:" + std::to_string(port_); }

void TcpProxy::accept_one() {
  const int client = ::accept(listener_, nullptr, nullptr);
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(target_port_);
  if (client < 0 ||
      ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(client);
    ::close(server);
    return;
  }
  pairs_.emplace_back(client, server);
}

bool TcpProxy::relay(int from, int to) {
  std::array<char, 65536> buffer{};
  const ssize_t got = ::recv(from, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got <= 0) return false;
  return ::send(to, buffer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
}

void TcpProxy::run() {
  const auto close_pair = [](const std::pair<int, int>& pair) {
    ::close(pair.first);
    ::close(pair.second);
  };
  while (!stop_.load()) {
    std::vector<pollfd> fds{{listener_, POLLIN, 0}};
    for (const auto& [client, server] : pairs_) {
      fds.push_back({client, POLLIN, 0});
      fds.push_back({server, POLLIN, 0});
    }
    ::poll(fds.data(), fds.size(), 5);
    if (cuts_done_.load() < cuts_asked_.load()) {
      for (const auto& pair : pairs_) close_pair(pair);
      pairs_.clear();
      cuts_done_.fetch_add(1);
      continue;
    }
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      const auto [client, server] = pairs_[i];
      const bool alive = (fds[2 * i + 1].revents == 0 || relay(client, server)) &&
                         (fds[2 * i + 2].revents == 0 || relay(server, client));
      if (alive) continue;
      close_pair(pairs_[i]);
      pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (fds[0].revents != 0) accept_one();
  }
  for (const auto& pair : pairs_) close_pair(pair);
}

}  // namespace ringside::wire
