#include "protocol/wire/poller.h"

#include <zmq.h>

#include <vector>

#include "protocol/wire/socket.h"

namespace ringside::wire {

struct Poller::Impl {
  std::vector<zmq_pollitem_t> items;
  std::vector<std::int32_t> tags;  // one per item, in the same order
  std::vector<std::int32_t> ready;

  void add(void* socket, int fd, std::int32_t tag) {
    items.push_back({socket, fd, ZMQ_POLLIN, 0});
    tags.push_back(tag);
  }

  void remove(const void* socket, int fd) {
    for (std::size_t i = items.size(); i-- > 0;) {
      if (items[i].socket != socket || (socket == nullptr && items[i].fd != fd)) continue;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
      tags.erase(tags.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
};

Poller::Poller() : impl_(std::make_unique<Impl>()) {}
Poller::Poller(Poller&&) noexcept = default;
Poller& Poller::operator=(Poller&&) noexcept = default;
Poller::~Poller() = default;

void Poller::add(PollHandle handle, std::int32_t tag) { impl_->add(handle.socket, -1, tag); }
void Poller::add_fd(int fd, std::int32_t tag) { impl_->add(nullptr, fd, tag); }
void Poller::remove(PollHandle handle) { impl_->remove(handle.socket, -1); }
void Poller::remove_fd(int fd) { impl_->remove(nullptr, fd); }

Result<std::span<const std::int32_t>> Poller::wait(std::int64_t timeout_ns) {
  impl_->ready.clear();
  const int count =
      zmq_poll(impl_->items.data(), static_cast<int>(impl_->items.size()), poll_ms(timeout_ns));
  if (count < 0 && zmq_errno() != EINTR) return zmq_failure("cannot wait for messages");
  for (std::size_t i = 0; count > 0 && i < impl_->items.size(); ++i) {
    if (impl_->items[i].revents != 0) impl_->ready.push_back(impl_->tags[i]);
  }
  return std::span<const std::int32_t>(impl_->ready);
}

}  // namespace ringside::wire
