#include "protocol/wire/follow_client.h"

#include <algorithm>
#include <cerrno>

#include "protocol/base/clock.h"
#include "protocol/wire/follow_server.h"
#include "protocol/wire/socket.h"

namespace ringside::wire {
namespace {

constexpr std::uint32_t kCreditStepBytes = FollowServer::kMaxCreditBytes / 4;
constexpr std::int64_t kKeepAliveNs = 2'000'000'000;
constexpr std::int64_t kLookAgainNs = 500'000'000;

}  // namespace

struct FollowClient::Impl {
  Context context;
  Socket socket;
  AgentEndpoint endpoint;
  bool seen = false;  // its process: that of another container is not, and may live all the same
  Node node = 0;
  std::uint64_t offset = 0;       // up to here everything has been handed out
  std::uint64_t last_number = 0;  // of any request
  std::uint64_t follow_number = 0;
  std::uint32_t owed_bytes = 0;  // taken, but not yet given back as credit
  std::int64_t heard_ns = 0;
  std::int64_t asked_ns = 0;
  bool following = false;
  Message message;

  std::uint64_t ask(FrameKind kind, std::uint64_t at_offset, std::uint32_t count);
  void request();
  void keep_alive();
  void give_credit();
  bool take(FollowEvent& event);
  bool take_chunk(const Frame& frame, FollowEvent& event);
};

FollowClient::FollowClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FollowClient::FollowClient(FollowClient&&) noexcept = default;
FollowClient& FollowClient::operator=(FollowClient&&) noexcept = default;
FollowClient::~FollowClient() = default;

Result<FollowClient> FollowClient::connect(const AgentEndpoint& endpoint) {
  auto impl = std::make_unique<Impl>();
  auto socket = open_dealer(impl->context, endpoint, endpoint.viewer_endpoint);
  if (!socket) return pass(socket);
  impl->socket = std::move(*socket);
  impl->endpoint = endpoint;
  impl->seen = is_alive(endpoint);
  impl->heard_ns = mono_now_ns();
  return FollowClient(std::move(impl));
}

void FollowClient::follow(Node node, std::uint64_t offset) {
  impl_->node = node;
  impl_->offset = offset;
  impl_->following = true;
  impl_->request();
}

std::uint64_t FollowClient::Impl::ask(FrameKind kind, std::uint64_t at_offset,
                                      std::uint32_t count) {
  Frame frame;
  frame.kind = kind;
  frame.run_token = endpoint.run_token;
  frame.node = node;
  frame.number = ++last_number;
  frame.offset = at_offset;
  frame.count = count;
  socket.send_frame(frame);
  return frame.number;
}

void FollowClient::Impl::request() {
  owed_bytes = 0;
  asked_ns = mono_now_ns();
  follow_number = ask(FrameKind::kFollow, offset, FollowServer::kMaxCreditBytes);
}

// Repeats the request after a pause, from the offset reached: this shows whether the agent is
// there, and recovers what a broken connection has lost.
void FollowClient::Impl::keep_alive() {
  const std::int64_t now = mono_now_ns();
  if (following && now - heard_ns > kKeepAliveNs && now - asked_ns > kKeepAliveNs) request();
}

void FollowClient::Impl::give_credit() {
  if (owed_bytes < kCreditStepBytes) return;
  Frame frame;
  frame.kind = FrameKind::kCredit;
  frame.run_token = endpoint.run_token;
  frame.node = node;
  frame.number = follow_number;
  frame.count = owed_bytes;
  if (socket.send_frame(frame)) owed_bytes = 0;
}

FollowEvent FollowClient::receive(std::int64_t timeout_ns) {
  const std::int64_t deadline_ns = mono_now_ns() + timeout_ns;
  FollowEvent event;
  impl_->give_credit();
  while (true) {
    while (impl_->socket.receive(impl_->message)) {
      if (!impl_->socket.skip_rest(impl_->message) && impl_->take(event)) return event;
    }
    impl_->keep_alive();
    const std::int64_t left_ns = deadline_ns - mono_now_ns();
    if (left_ns <= 0) return event;
    zmq_pollitem_t item{impl_->socket.get(), -1, ZMQ_POLLIN, 0};
    zmq_poll(&item, 1, poll_ms(std::min(left_ns, kLookAgainNs)));
  }
}

// True when the message is something for the caller.
bool FollowClient::Impl::take(FollowEvent& event) {
  Frame frame;
  if (decode_frame(message.bytes(), frame) != FrameVerdict::kGood ||
      frame.run_token != endpoint.run_token)
    return false;
  heard_ns = mono_now_ns();
  const auto payload = message.bytes().subspan(kFrameBytes);
  const auto text = [&] {
    return std::string(reinterpret_cast<const char*>(payload.data()), payload.size());
  };
  if (frame.kind == FrameKind::kReply) {
    event = {FollowEvent::Kind::kReply, frame.number, {}, frame.count != 0, text()};
    return true;
  }
  if (frame.kind == FrameKind::kRefused) {
    following = following && frame.number != follow_number;
    event = {FollowEvent::Kind::kRefused, frame.number, {}, false, text()};
    return true;
  }
  // Anything else belongs to a request to follow; answers to an older one are ignored.
  if (!following || frame.number != follow_number) return false;
  if (frame.kind == FrameKind::kChunk) return take_chunk(frame, event);
  if (frame.kind == FrameKind::kEnd && frame.offset == offset) {
    following = false;
    event = {FollowEvent::Kind::kEnd, offset, {}, true, {}};
    return true;
  }
  return false;
}

bool FollowClient::Impl::take_chunk(const Frame& frame, FollowEvent& event) {
  if (frame.offset != offset) {
    request();
    return false;
  }
  event = {FollowEvent::Kind::kBytes, offset, message.bytes().subspan(kFrameBytes), true, {}};
  offset += frame.payload_bytes;
  owed_bytes += frame.payload_bytes;
  return true;
}

std::int64_t FollowClient::silent_ns() const { return mono_now_ns() - impl_->heard_ns; }

void FollowClient::send_status() { impl_->ask(FrameKind::kAskStatus, 0, 0); }

void FollowClient::send_stop(StopMode mode) {
  impl_->ask(FrameKind::kAskStop, 0, static_cast<std::uint32_t>(mode));
}

Result<std::string> FollowClient::ask_status(std::int64_t timeout_ns) {
  send_status();
  return wait_for_reply(timeout_ns);
}

Result<std::string> FollowClient::ask_stop(StopMode mode, std::int64_t timeout_ns) {
  send_stop(mode);
  return wait_for_reply(timeout_ns);
}

Result<std::string> FollowClient::wait_for_reply(std::int64_t timeout_ns) {
  const std::uint64_t number = impl_->last_number;
  const std::int64_t deadline_ns = mono_now_ns() + timeout_ns;
  for (std::int64_t left_ns = timeout_ns; left_ns > 0; left_ns = deadline_ns - mono_now_ns()) {
    const bool gone = impl_->seen && !is_alive(impl_->endpoint);
    FollowEvent event = receive(gone ? 0 : std::min(left_ns, kLookAgainNs));
    if (gone && event.kind == FollowEvent::Kind::kNothing)
      return failure("the agent of run " + impl_->endpoint.run_id + " ended before it answered");
    const bool answer =
        event.kind == FollowEvent::Kind::kReply || event.kind == FollowEvent::Kind::kRefused;
    if (!answer || event.offset != number) continue;
    if (event.ok) return std::move(event.text);
    return failure("the agent of run " + impl_->endpoint.run_id + " refused: " + event.text);
  }
  return failure("the agent of run " + impl_->endpoint.run_id + " did not answer in " +
                 std::to_string(timeout_ns / 1'000'000) + " ms; is it stopped?");
}

PollHandle FollowClient::poll_handle() const { return {impl_->socket.get()}; }

}  // namespace ringside::wire
