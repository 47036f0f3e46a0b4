#include "protocol/wire/socket.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "protocol/wire/keys.h"

namespace ringside::wire {

Context::Context() : context_(zmq_ctx_new()) {}

Context::~Context() {
  if (context_ == nullptr) return;
  while (zmq_ctx_term(context_) != 0 && errno == EINTR) {
  }
}

bool Message::resize(std::size_t bytes) {
  zmq_msg_close(&message_);
  if (zmq_msg_init_size(&message_, bytes) == 0) return true;
  zmq_msg_init(&message_);
  return false;
}

bool Message::share(const std::shared_ptr<const std::vector<std::byte>>& bytes) {
  using Owner = std::shared_ptr<const std::vector<std::byte>>;
  auto owner = std::unique_ptr<Owner>(new (std::nothrow) Owner(bytes));
  const auto release = [](void*, void* hint) { delete static_cast<Owner*>(hint); };
  auto* const data = const_cast<std::byte*>(bytes->data());
  zmq_msg_close(&message_);
  if (owner && zmq_msg_init_data(&message_, data, bytes->size(), release, owner.get()) == 0) {
    (void)owner.release();  // now owned by ZeroMQ
    return true;
  }
  zmq_msg_init(&message_);
  return false;
}

Socket::~Socket() {
  if (socket_ != nullptr) zmq_close(socket_);
}

Result<Socket> Socket::open(const Context& context, int type) {
  Socket socket;
  if (context.get() != nullptr) socket.socket_ = zmq_socket(context.get(), type);
  if (socket.socket_ == nullptr) return zmq_failure("cannot open a socket");
  socket.set(ZMQ_LINGER, 0);
  return socket;
}

bool Socket::set(int option, int value) {
  return zmq_setsockopt(socket_, option, &value, sizeof value) == 0;
}

bool Socket::set64(int option, std::int64_t value) {
  return zmq_setsockopt(socket_, option, &value, sizeof value) == 0;
}

bool Socket::set(int option, std::string_view value) {
  return zmq_setsockopt(socket_, option, value.data(), value.size()) == 0;
}

bool Socket::receive(Message& into) {
  while (zmq_msg_recv(into.get(), socket_, ZMQ_DONTWAIT) < 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool Socket::skip_rest(Message& last) {
  bool skipped = false;
  while (last.more() && receive(last)) skipped = true;
  return skipped;
}

bool Socket::send(zmq_msg_t* message, bool more) {
  const int flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0);
  while (zmq_msg_send(message, socket_, flags) < 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool Socket::send_address(const std::string& identity) {
  Message message;
  if (!message.resize(identity.size())) return false;
  std::memcpy(message.data(), identity.data(), identity.size());
  return send(message.get(), true);
}

bool Socket::send_frame(Frame frame, std::span<const std::byte> payload) {
  Message message;
  if (payload.size() > kMaxFramePayload || !message.resize(kFrameBytes + payload.size()))
    return false;
  frame.payload_bytes = static_cast<std::uint32_t>(payload.size());
  encode_frame(message.data(), frame);
  if (!payload.empty()) std::memcpy(message.data() + kFrameBytes, payload.data(), payload.size());
  return send(message.get());
}

Result<Socket> open_dealer(const Context& context, const AgentEndpoint& endpoint,
                           const std::string& address, int send_mark) {
  auto socket = Socket::open(context, ZMQ_DEALER);
  if (!socket) return socket;
  // Unguessable, so that nobody can take over this connection at the agent; the same after
  // reconnecting.
  std::array<char, 16> identity{};
  if (::getentropy(identity.data(), identity.size()) != 0)
    return failure("cannot get random bytes for a connection");
  identity[0] = static_cast<char>(identity[0] | 1);
  const bool usable =
      socket->set(ZMQ_ROUTING_ID, std::string_view(identity.data(), identity.size())) &&
      socket->set(ZMQ_CURVE_SERVERKEY, endpoint.server_public_key) &&
      socket->set(ZMQ_CURVE_PUBLICKEY, endpoint.client_public_key) &&
      socket->set(ZMQ_CURVE_SECRETKEY, endpoint.client_secret_key) &&
      socket->set(ZMQ_RECONNECT_IVL, 100) && socket->set(ZMQ_RECONNECT_IVL_MAX, 1000) &&
      socket->set(ZMQ_HANDSHAKE_IVL, 10'000) && socket->set64(ZMQ_MAXMSGSIZE, kMaxMessageBytes) &&
      socket->set(ZMQ_SNDHWM, send_mark);
  if (!usable)
    return failure("cannot use the keys of agent.json of run " + endpoint.run_id +
                   "; is the file whole?");
  // The connection is made in the background and retried.
  if (zmq_connect(socket->get(), address.c_str()) != 0)
    return zmq_failure("cannot connect to " + address);
  return socket;
}

tl::unexpected<Error> zmq_failure(std::string_view what) {
  return failure(std::string(what) + ": " + zmq_strerror(zmq_errno()));
}

long poll_ms(std::int64_t timeout_ns) {
  if (timeout_ns < 0) return -1;
  return static_cast<long>((timeout_ns + 999'999) / 1'000'000);
}

}  // namespace ringside::wire
