#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <deque>
#include <utility>

#include "protocol/wire/local_socket.h"
#include "protocol/wire/telemetry_sender.h"

namespace ringside::wire {
namespace {

class LocalChannel final : public RankChannel {
 public:
  ~LocalChannel() override {
    if (fd_ >= 0 && is_ours()) ::close(fd_);
  }

  Result<void> open(const std::filesystem::path& path) {
    const auto made = RINGSIDE_TRY(make_local_socket());
    fd_ = made;
    inode_ = inode_of(fd_);
    return at_local_socket(path, fd_, ::connect);
  }

  // After the connection has ended, frames are accepted and dropped; the caller keeps
  // unacknowledged ones.
  bool send(const Bytes& frame) override {
    if (broken_) return true;
    try {
      waiting_.push_back(frame);
    } catch (const std::bad_alloc&) {
      return false;
    }
    flush();
    return true;
  }

  bool receive(Frame& frame) override {
    flush();
    while (!broken_) {
      const ssize_t got = ::recv(fd_, head_.data() + read_, head_.size() - read_, MSG_DONTWAIT);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN)) return false;
      if (got <= 0) {
        give_up();
        return false;
      }
      read_ += static_cast<std::size_t>(got);
      if (read_ < head_.size()) continue;
      read_ = 0;
      if (decode_frame(head_, frame) == FrameVerdict::kGood) return true;
      give_up();  // the agent only sends frames without payload
    }
    return false;
  }

  bool is_behind() const override { return !waiting_.empty(); }

  bool wait(std::int64_t timeout_ns) override {
    if (broken_ || !is_ours()) return false;
    const int output = is_behind() ? POLLOUT : 0;
    pollfd one{fd_, static_cast<short>(POLLIN | output), 0};
    ::poll(&one, 1, static_cast<int>((timeout_ns + 999'999) / 1'000'000));
    return true;
  }

 private:
  // 0 when it is not a socket. Open sockets have different inodes.
  static ino_t inode_of(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
  }

  // A program may have closed all descriptors it does not know; another file may then have our
  // number.
  bool is_ours() const { return inode_ != 0 && inode_of(fd_) == inode_; }

  void give_up() {
    broken_ = true;
    waiting_.clear();
  }

  void flush() {
    if (broken_) return;
    if (!is_ours()) return give_up();
    while (!waiting_.empty()) {
      const auto& frame = *waiting_.front();
      const ssize_t sent =
          ::send(fd_, frame.data() + sent_, frame.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM)) return;
      if (sent < 0) return give_up();
      sent_ += static_cast<std::size_t>(sent);
      if (sent_ < frame.size()) continue;
      sent_ = 0;
      waiting_.pop_front();
    }
  }

  int fd_ = -1;
  ino_t inode_ = 0;
  bool broken_ = false;
  std::deque<Bytes> waiting_;  // the first `sent_` bytes of the first are in the kernel
  std::size_t sent_ = 0;
  std::array<std::byte, kFrameBytes> head_{};  // the first `read_` bytes have arrived
  std::size_t read_ = 0;
};

}  // namespace

Result<TelemetrySender> TelemetrySender::connect_local(const AgentEndpoint& endpoint, Node node,
                                                       Rank rank, std::int32_t attempt,
                                                       std::size_t max_unacknowledged_bytes) {
  auto channel = std::make_unique<LocalChannel>();
  RINGSIDE_TRY(channel->open(endpoint.local_socket));
  return TelemetrySender(std::move(channel), endpoint, node, rank, attempt,
                         max_unacknowledged_bytes);
}

}  // namespace ringside::wire
