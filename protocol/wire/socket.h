// ZeroMQ's context, socket and message as RAII values; internal to this folder. Nothing throws.
// Each socket is used by one thread; a context may be shared.
#pragma once

#include <zmq.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/frame.h"

namespace ringside::wire {

/// One I/O thread; closing waits for the linger time of its sockets.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  void* get() const { return context_; }

 private:
  void* context_;
};

class Message {
 public:
  Message() { zmq_msg_init(&message_); }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message() { zmq_msg_close(&message_); }
  /// Allocates `bytes`; false when out of memory.
  bool resize(std::size_t bytes);
  /// Refers to these bytes without copying them; ZeroMQ keeps them alive until they are sent. False
  /// when out of memory.
  bool share(const std::shared_ptr<const std::vector<std::byte>>& bytes);
  zmq_msg_t* get() { return &message_; }
  std::byte* data() { return static_cast<std::byte*>(zmq_msg_data(&message_)); }
  std::size_t size() const { return zmq_msg_size(&message_); }
  std::span<const std::byte> bytes() { return {data(), size()}; }
  std::string_view text() { return {static_cast<const char*>(zmq_msg_data(&message_)), size()}; }
  bool more() const { return zmq_msg_more(&message_) != 0; }

 private:
  zmq_msg_t message_{};
};

class Socket {
 public:
  Socket() = default;
  Socket(Socket&& other) noexcept : socket_(std::exchange(other.socket_, nullptr)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  static Result<Socket> open(const Context& context, int type);
  void* get() const { return socket_; }

  bool set(int option, int value);
  bool set64(int option, std::int64_t value);
  bool set(int option, std::string_view value);

  /// Never blocks; false when nothing was pending.
  bool receive(Message& into);
  /// Reads and drops the remaining parts of a message; true if there were any.
  bool skip_rest(Message& last);
  /// Never blocks; on success the socket owns the message. False: see errno.
  bool send(zmq_msg_t* message, bool more = false);
  /// Selects the peer for a ROUTER's next frame. False when it is gone (EHOSTUNREACH) or its queue
  /// is full (EAGAIN).
  bool send_address(const std::string& identity);
  /// Sends a frame and its payload as one part.
  bool send_frame(Frame frame, std::span<const std::byte> payload = {});

 private:
  void* socket_ = nullptr;
};

/// A DEALER socket with the endpoint's keys and a random identity, connected to one of its
/// addresses. At most `send_mark` messages are queued for sending; 0: no limit.
Result<Socket> open_dealer(const Context& context, const AgentEndpoint& endpoint,
                           const std::string& address, int send_mark = 1000);

/// An error of `what`, with ZeroMQ's reason.
tl::unexpected<Error> zmq_failure(std::string_view what);

/// Milliseconds for zmq_poll, rounded up; a negative timeout stays negative (forever).
long poll_ms(std::int64_t timeout_ns);

}  // namespace ringside::wire
