#include "trainer/agent/tasks/task_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "protocol/base/clock.h"

namespace ringside::agent {
namespace {

constexpr std::int64_t kRoomNs = 10'000'000'000;
constexpr std::size_t kLengthBytes = 4;
constexpr const char* kGone = "the other end has gone";

std::string why(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

/// Whether one of `events` happens before the deadline.
bool comes(int fd, short events, std::int64_t deadline_ns) {
  for (;;) {
    const std::int64_t left_ns = deadline_ns - mono_now_ns();
    pollfd one{fd, events, 0};
    const int ready = ::poll(
        &one, 1, static_cast<int>(std::max<std::int64_t>(0, (left_ns + 999'999) / 1'000'000)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

struct Address {
  sockaddr_un place{};
  socklen_t bytes = 0;
};

/// A name that begins with a zero byte is an abstract socket address.
Result<Address> address_of(const std::string& name) {
  Address address;
  address.place.sun_family = AF_UNIX;
  if (name.empty() || name.size() + 1 > sizeof address.place.sun_path)
    return failure("\"" + name + "\" is not the name of a socket");
  std::copy(name.begin(), name.end(), address.place.sun_path + 1);
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

Result<Descriptor> make_socket() {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) return failure(why("cannot make a socket"));
  return socket;
}

}  // namespace

Result<TaskChannel> TaskChannel::of(Descriptor socket) {
  ucred who{};
  socklen_t bytes = sizeof who;
  const bool known = ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0;
  if (known && who.uid == ::getuid()) return TaskChannel(std::move(socket), who.pid);
  return failure(known ? fmt::format("user {} is at the other end", who.uid)
                       : why("the kernel does not say who is at the other end"));
}

Result<TaskChannel> TaskChannel::connect(const std::string& name) {
  const auto address = RINGSIDE_TRY(address_of(name));
  auto socket = RINGSIDE_TRY(make_socket());
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.place), address.bytes) ==
      0)
    return of(std::move(socket));
  return failure(why("no process listens there"));
}

Result<void> TaskChannel::send(const TaskMessage& message) {
  const std::vector<std::uint8_t> body = encode(message);
  if (body.size() > kMostTaskBytes)
    return failure(fmt::format("{} bytes are too many for one message", body.size()));
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    bytes.push_back(static_cast<std::uint8_t>(body.size() >> (8 * i)));
  bytes.insert(bytes.end(), body.begin(), body.end());
  const std::int64_t deadline_ns = mono_now_ns() + kRoomNs;
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t some = ::send(fd(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (some > 0) sent += static_cast<std::size_t>(some);
    if (some >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return failure(kGone);
    if (!comes(fd(), POLLOUT, deadline_ns)) return failure("the other end takes nothing");
  }
  return {};
}

// Never reads bytes of the next message, so that fd() stays readable until it is requested.
Result<std::optional<TaskMessage>> TaskChannel::receive() {
  for (;;) {
    std::uint32_t length = 0;
    for (std::size_t i = kLengthBytes; got_.size() >= kLengthBytes && i-- > 0;)
      length = length << 8U | got_[i];
    if (length > kMostTaskBytes)
      return failure(fmt::format("a message of {} bytes is too long", length));
    const std::size_t whole = kLengthBytes + length;
    if (got_.size() == whole && length > 0) {
      auto message = decode(std::span(got_).subspan(kLengthBytes));
      got_.clear();
      if (!message) return pass(message);
      return std::optional(std::move(*message));
    }
    const std::size_t before = got_.size();
    got_.resize(whole);
    const ssize_t some = ::recv(fd(), got_.data() + before, whole - before, 0);
    got_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(0, some)));
    if (some > 0 || (some < 0 && errno == EINTR)) continue;
    if (some < 0 && errno == EAGAIN) return std::optional<TaskMessage>();
    return failure(kGone);
  }
}

Result<TaskMessage> TaskChannel::wait(std::int64_t timeout_ns) {
  const std::int64_t deadline_ns = mono_now_ns() + timeout_ns;
  for (;;) {
    auto message = RINGSIDE_TRY(receive());
    if (message) return std::move(*message);
    if (!comes(fd(), POLLIN, deadline_ns)) return failure("the other end says nothing");
  }
}

Result<TaskListener> TaskListener::open() {
  std::array<std::uint64_t, 2> chance{};
  if (::getrandom(chance.data(), sizeof chance, 0) != static_cast<ssize_t>(sizeof chance))
    return failure(why("no random number"));
  std::string name = fmt::format("ringside-{:016x}{:016x}", chance[0], chance[1]);
  const auto address = RINGSIDE_TRY(address_of(name));
  auto socket = RINGSIDE_TRY(make_socket());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address.place), address.bytes) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0)
    return failure(why("cannot listen for the tasks of this node"));
  return TaskListener(std::move(socket), std::move(name));
}

std::optional<TaskChannel> TaskListener::accept(std::int64_t timeout_ns) {
  if (!comes(socket_.get(), POLLIN, mono_now_ns() + timeout_ns)) return std::nullopt;
  Descriptor one(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (one.get() < 0) return std::nullopt;
  auto channel = TaskChannel::of(std::move(one));
  if (!channel) return std::nullopt;
  return std::move(*channel);
}

}  // namespace ringside::agent
