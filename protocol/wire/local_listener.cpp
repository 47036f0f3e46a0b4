#include "protocol/wire/local_listener.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "protocol/wire/local_socket.h"

namespace ringside::wire {
namespace {

constexpr std::size_t kReadBytes = std::size_t{16} << 10;
// Connections beyond this queue length are refused; no node has as many ranks.
constexpr int kQueue = 4096;

}  // namespace

Result<std::unique_ptr<LocalListener>> LocalListener::open() {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return failure(std::string("cannot wait for local sockets: ") + strerror(errno));
  return std::unique_ptr<LocalListener>(new LocalListener(epoll));
}

Result<void> LocalListener::listen(const std::filesystem::path& path, std::size_t connections) {
  shut();
  const auto made = RINGSIDE_TRY(make_local_socket());
  auto listening = std::make_unique<Descriptor>(made);
  ::unlink(path.c_str());  // left by an agent that was killed
  // The file gets the mode that its socket has when it is bound.
  if (::fchmod(made, 0600) != 0) return local_failure("cannot protect", path);
  if (auto bound = at_local_socket(path, made, ::bind); !bound) return bound;
  path_ = path;
  if (::listen(made, kQueue) != 0 || !watch(made, 0)) {
    auto failed = local_failure("cannot listen at", path);
    shut();
    return failed;
  }
  listening_ = std::move(listening);
  room_ = connections;
  return {};
}

void LocalListener::shut() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
  listening_.reset();
  connections_.clear();
  ready_count_ = 0;
  reading_ = 0;
}

bool LocalListener::watch(int fd, std::uint64_t number) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = number;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

// When no descriptors are left, pending connections stay in the queue and would wake up the loop
// forever, so the listening socket is closed.
void LocalListener::accept_all() {
  while (listening_) {
    const int fd = ::accept4(listening_->get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (fd < 0 && errno == EAGAIN) return;
    if (fd < 0) return listening_.reset();
    auto socket = std::make_unique<Descriptor>(fd);
    if (connections_.size() < room_ && watch(fd, last_number_ + 1))
      connections_[++last_number_].socket = std::move(socket);
  }
}

std::optional<LocalListener::Arrival> LocalListener::receive() {
  Arrival arrival;
  while (true) {
    if (const auto from = connections_.find(reading_); from != connections_.end()) {
      arrival.connection = reading_;
      if (take_frame(from->second, arrival)) {
        // After a header that is not valid, the position of the next frame is unknown.
        if (arrival.verdict != FrameVerdict::kGood) connections_.erase(from);
        return arrival;
      }
    }
    if (ready_count_ == 0) {
      const int count =
          ::epoll_wait(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), 0);
      if (count <= 0) return std::nullopt;
      ready_count_ = static_cast<std::size_t>(count);
    }
    reading_ = ready_[--ready_count_].data.u64;
    if (reading_ == 0) {
      accept_all();
    } else if (const auto from = connections_.find(reading_);
               from != connections_.end() && !read(from->second)) {
      connections_.erase(from);
    }
  }
}

bool LocalListener::take_frame(Connection& from, Arrival& arrival) {
  const auto all = std::span(from.bytes).subspan(from.begin, from.end - from.begin);
  if (all.size() < kFrameBytes) return false;
  arrival.verdict = decode_head(all.first(kFrameBytes), arrival.frame);
  if (arrival.verdict != FrameVerdict::kGood) return true;
  const std::size_t bytes = kFrameBytes + arrival.frame.payload_bytes;
  if (all.size() < bytes) return false;
  arrival.payload = all.subspan(kFrameBytes, bytes - kFrameBytes);
  from.begin += bytes;
  return true;
}

// Reads the available bytes, at most to the end of the current frame. False: the connection has
// ended.
bool LocalListener::read(Connection& from) {
  if (from.begin > 0) {
    std::memmove(from.bytes.data(), from.bytes.data() + from.begin, from.end - from.begin);
    from.end -= std::exchange(from.begin, 0);
  }
  Frame head;
  std::size_t wanted = kReadBytes;
  if (from.end >= kFrameBytes &&
      decode_head(std::span(from.bytes).first(kFrameBytes), head) == FrameVerdict::kGood)
    wanted = std::max(wanted, kFrameBytes + head.payload_bytes);
  // The buffer grows with the bytes received, whatever length the header claims.
  wanted = std::min(wanted, 2 * from.end + kReadBytes);
  if (from.bytes.size() < wanted) from.bytes.resize(wanted);
  const ssize_t got = ::recv(from.socket->get(), from.bytes.data() + from.end,
                             from.bytes.size() - from.end, MSG_DONTWAIT);
  if (got > 0) from.end += static_cast<std::size_t>(got);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

bool LocalListener::send(std::uint64_t connection, const Frame& frame) {
  const auto to = connections_.find(connection);
  if (to == connections_.end()) return false;
  std::array<std::byte, kFrameBytes> bytes{};
  encode_frame(bytes.data(), frame);
  const ssize_t sent =
      ::send(to->second.socket->get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  // A partial header would corrupt all that follows.
  if (sent > 0 && sent < static_cast<ssize_t>(bytes.size()))
    ::shutdown(to->second.socket->get(), SHUT_RDWR);
  return sent == static_cast<ssize_t>(bytes.size());
}

}  // namespace ringside::wire
