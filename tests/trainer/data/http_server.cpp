#include "tests/trainer/data/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace ringside::testing {
namespace {

void send_all(int connection, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t sent = ::send(connection, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) return;  // the client is gone, which is allowed
    done += static_cast<std::size_t>(sent);
  }
}

HttpRequest parse(const std::string& head) {
  HttpRequest request;
  const auto begin = head.find(' ') + 1;
  request.path = head.substr(begin, head.find(' ', begin) - begin);
  const std::string mark = "Range: bytes=";
  const auto range = head.find(mark);
  if (range != std::string::npos) request.from = std::atoll(head.c_str() + range + mark.size());
  return request;
}

std::string head_of(const HttpReply& reply, int status, std::size_t from, std::size_t length) {
  std::string head = "HTTP/1.1 " + std::to_string(status) + " Said\r\nConnection: close\r\n";
  head += "Content-Length: " + std::to_string(length) + "\r\n";
  if (status == 206) {
    head += "Content-Range: bytes " + std::to_string(from) + "-" +
            std::to_string(reply.body.size() - 1) + "/" + std::to_string(reply.body.size()) +
            "\r\n";
  }
  if (!reply.location.empty()) head += "Location: " + reply.location + "\r\n";
  return head + "\r\n";
}

}  // namespace

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  ::setenv("no_proxy", "127.0.0.1", 1);
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || ::bind(listener_, generic, length) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, generic, &length) != 0 || ::pipe(stop_) != 0) {
    throw std::runtime_error("no server on loopback");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  ::close(stop_[1]);
  thread_.join();
  ::close(stop_[0]);
  ::close(listener_);
}

std::string HttpServer::url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

std::vector<HttpRequest> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void HttpServer::serve() {
  for (;;) {
    pollfd events[] = {{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    if (::poll(events, 2, -1) < 0) continue;
    if (events[1].revents != 0) return;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    answer(connection);
    ::close(connection);
  }
}

void HttpServer::answer(int connection) {
  std::string head;
  char piece[2048];
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(connection, piece, sizeof piece, 0);
    if (got <= 0) return;
    head.append(piece, static_cast<std::size_t>(got));
  }
  const HttpRequest request = parse(head);
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  const HttpReply reply = handler_(request);
  const auto from = reply.ranges ? static_cast<std::size_t>(request.from) : 0;
  int status = reply.status;
  if (status == 200 && from > 0) status = from < reply.body.size() ? 206 : 416;
  const std::string body = status == 416 ? "" : reply.body.substr(from);
  send_all(connection, head_of(reply, status, from, body.size()));
  send_all(connection, body.substr(0, std::min(reply.cut_after, body.size())));
  ::shutdown(connection, SHUT_WR);
  while (::recv(connection, piece, sizeof piece, 0) > 0) {
  }
}

}  // namespace ringside::testing
