#include "protocol/wire/authenticator.h"

#include <array>
#include <cstring>

#include "protocol/wire/authenticator_impl.h"

namespace ringside::wire {
namespace {

constexpr const char* kAccessEndpoint = "inproc://zeromq.zap.01";
constexpr std::size_t kRawKeyBytes = 32;

std::string raw_key(const std::string& z85) {
  std::array<std::uint8_t, kRawKeyBytes> raw{};
  if (z85.size() != 40 || zmq_z85_decode(raw.data(), z85.c_str()) == nullptr) return {};
  return {raw.begin(), raw.end()};
}

bool send_text(Socket& socket, std::string_view text, bool more) {
  Message message;
  if (!message.resize(text.size())) return false;
  if (!text.empty()) std::memcpy(message.data(), text.data(), text.size());
  return socket.send(message.get(), more);
}

}  // namespace

Authenticator::Authenticator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Authenticator::~Authenticator() = default;

Result<std::unique_ptr<Authenticator>> Authenticator::open() {
  auto impl = std::make_unique<Impl>();
  auto keys = RINGSIDE_TRY(make_key_pair());
  impl->server = std::move(keys);
  auto access = RINGSIDE_TRY(Socket::open(impl->context, ZMQ_REP));
  impl->access = std::move(access);
  // Bound before any other socket, since without a handler ZeroMQ would accept every key.
  if (zmq_bind(impl->access.get(), kAccessEndpoint) != 0)
    return zmq_failure("cannot guard the sockets");
  return std::unique_ptr<Authenticator>(new Authenticator(std::move(impl)));
}

Result<AgentEndpoint> Authenticator::authorize(const RunId& run_id,
                                               const std::string& telemetry_endpoint,
                                               const std::string& viewer_endpoint) {
  auto keys = RINGSIDE_TRY(make_key_pair());
  AgentEndpoint endpoint = endpoint_of_this_process();
  endpoint.run_id = run_id;
  endpoint.telemetry_endpoint = telemetry_endpoint;
  endpoint.viewer_endpoint = viewer_endpoint;
  endpoint.server_public_key = impl_->server.public_key;
  endpoint.client_public_key = keys.public_key;
  endpoint.client_secret_key = keys.secret_key;
  endpoint.run_token = make_token();
  impl_->authorized[raw_key(endpoint.client_public_key)] = run_id;
  return endpoint;
}

void Authenticator::revoke(const AgentEndpoint& endpoint) {
  impl_->authorized.erase(raw_key(endpoint.client_public_key));
}

void Authenticator::serve() {
  impl_->answer_access();
  impl_->drain_monitors();
}

PollHandle Authenticator::poll_handle() const { return {impl_->access.get()}; }
const AuthenticatorCounts& Authenticator::counts() const { return impl_->counts; }

Result<Socket> Authenticator::Impl::open_router(std::int64_t max_message_bytes, int receive_mark,
                                                int send_mark, const std::string& address) {
  auto socket = Socket::open(context, ZMQ_ROUTER);
  if (!socket) return socket;
  const bool set = socket->set(ZMQ_CURVE_SERVER, 1) &&
                   socket->set(ZMQ_CURVE_SECRETKEY, server.secret_key) &&
                   socket->set(ZMQ_ZAP_DOMAIN, "ringside") && socket->set(ZMQ_IPV6, 0) &&
                   socket->set64(ZMQ_MAXMSGSIZE, max_message_bytes) &&
                   socket->set(ZMQ_RCVHWM, receive_mark) && socket->set(ZMQ_SNDHWM, send_mark) &&
                   // Identities are random, so only a reconnecting peer can take over its own
                   // identity.
                   socket->set(ZMQ_ROUTER_HANDOVER, 1) && socket->set(ZMQ_ROUTER_MANDATORY, 1) &&
                   socket->set(ZMQ_HANDSHAKE_IVL, 10'000) && socket->set(ZMQ_BACKLOG, 1024) &&
                   socket->set(ZMQ_LINGER, 200);
  if (!set) return zmq_failure("cannot set up a socket");
  RINGSIDE_TRY(watch(*socket));
  if (zmq_bind(socket->get(), ("tcp://" + address + ":*").c_str()) != 0)
    return zmq_failure("cannot listen on " + address);
  return socket;
}

Result<void> Authenticator::Impl::watch(Socket& socket) {
  constexpr int kEvents = ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                          ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                          ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
  const std::string endpoint = "inproc://ringside.monitor." + std::to_string(monitors.size());
  auto monitor = RINGSIDE_TRY(Socket::open(context, ZMQ_PAIR));
  // Without a high-water mark: a full event queue would block ZeroMQ's I/O thread.
  if (!monitor.set(ZMQ_RCVHWM, 0) ||
      zmq_socket_monitor(socket.get(), endpoint.c_str(), kEvents) != 0 ||
      zmq_connect(monitor.get(), endpoint.c_str()) != 0) {
    return zmq_failure("cannot watch a socket");
  }
  monitors.push_back(std::move(monitor));
  return {};
}

void Authenticator::Impl::answer_access() {
  // version, request id, domain, address, identity, mechanism, credentials
  constexpr std::size_t kParts = 7;
  Message part;
  while (access.receive(part)) {
    std::array<std::string, kParts> parts;
    std::size_t count = 0;
    do {
      if (count < kParts) parts[count] = part.text();
      ++count;
    } while (part.more() && access.receive(part));
    const bool asked_for_key =
        count == kParts && parts[5] == "CURVE" && parts[6].size() == kRawKeyBytes;
    const bool known = asked_for_key && authorized.contains(parts[6]);
    if (!known) ++counts.wrong_key;
    send_text(access, "1.0", true);
    send_text(access, parts[1], true);
    send_text(access, known ? "200" : "400", true);
    send_text(access, known ? "" : "unknown key", true);
    send_text(access, known ? "run" : "", true);
    send_text(access, "", false);
  }
}

void Authenticator::Impl::drain_monitors() {
  Message part;
  for (Socket& monitor : monitors) {
    while (monitor.receive(part)) {
      std::uint16_t event = 0;
      if (part.size() >= sizeof event) std::memcpy(&event, part.data(), sizeof event);
      monitor.skip_rest(part);
      if (event == ZMQ_EVENT_DISCONNECTED) ++counts.disconnected;
      if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) ++counts.authorized;
      if (event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL ||
          event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) {
        ++counts.bad_handshake;
      }
    }
  }
}

std::string endpoint_of(const Socket& socket) {
  std::array<char, 256> text{};
  std::size_t size = text.size();
  if (zmq_getsockopt(socket.get(), ZMQ_LAST_ENDPOINT, text.data(), &size) != 0) return {};
  return text.data();
}

}  // namespace ringside::wire
