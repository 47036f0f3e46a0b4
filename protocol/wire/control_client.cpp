#include "protocol/wire/control_client.h"

#include <algorithm>
#include <utility>

#include "protocol/base/clock.h"
#include "protocol/wire/socket.h"

namespace ringside::wire {
namespace {

constexpr std::int64_t kLookAgainNs = 500'000'000;

}  // namespace

struct ControlClient::Impl {
  Context context;
  Socket socket;
  AgentEndpoint endpoint;
  // The agent's process was visible at connect(); one in another container is not, but may be
  // alive.
  bool seen = false;
  std::uint64_t last_number = 0;  // of the last request
  std::int64_t last_record_ns = 0;
  Message message;

  void ask(FrameKind kind, std::uint32_t count);
  std::optional<ControlReply> take();
};

ControlClient::ControlClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ControlClient::ControlClient(ControlClient&&) noexcept = default;
ControlClient& ControlClient::operator=(ControlClient&&) noexcept = default;
ControlClient::~ControlClient() = default;

Result<ControlClient> ControlClient::connect(const AgentEndpoint& endpoint) {
  auto impl = std::make_unique<Impl>();
  auto socket = RINGSIDE_TRY(open_dealer(impl->context, endpoint, endpoint.viewer_endpoint));
  impl->socket = std::move(socket);
  impl->endpoint = endpoint;
  impl->seen = is_alive(endpoint);
  impl->last_record_ns = mono_now_ns();
  return ControlClient(std::move(impl));
}

void ControlClient::Impl::ask(FrameKind kind, std::uint32_t count) {
  Frame frame;
  frame.kind = kind;
  frame.run_token = endpoint.run_token;
  frame.number = ++last_number;
  frame.count = count;
  socket.send_frame(frame);
}

std::optional<ControlReply> ControlClient::receive(std::int64_t timeout_ns) {
  const std::int64_t deadline_ns = mono_now_ns() + timeout_ns;
  while (true) {
    while (impl_->socket.receive(impl_->message)) {
      if (impl_->socket.skip_rest(impl_->message)) continue;
      if (auto reply = impl_->take()) return reply;
    }
    const std::int64_t left_ns = deadline_ns - mono_now_ns();
    if (left_ns <= 0) return std::nullopt;
    zmq_pollitem_t item{impl_->socket.get(), -1, ZMQ_POLLIN, 0};
    zmq_poll(&item, 1, poll_ms(std::min(left_ns, kLookAgainNs)));
  }
}

std::optional<ControlReply> ControlClient::Impl::take() {
  Frame frame;
  if (decode_frame(message.bytes(), frame) != FrameVerdict::kGood ||
      frame.run_token != endpoint.run_token ||
      (frame.kind != FrameKind::kReply && frame.kind != FrameKind::kRefused))
    return std::nullopt;
  last_record_ns = mono_now_ns();
  const auto payload = message.bytes().subspan(kFrameBytes);
  return ControlReply{frame.number, frame.kind == FrameKind::kReply && frame.count != 0,
                      std::string(reinterpret_cast<const char*>(payload.data()), payload.size())};
}

std::int64_t ControlClient::silent_ns() const { return mono_now_ns() - impl_->last_record_ns; }

void ControlClient::send_status() { impl_->ask(FrameKind::kAskStatus, 0); }

Result<std::string> ControlClient::ask_status(std::int64_t timeout_ns) {
  send_status();
  return wait_for_reply(timeout_ns);
}

Result<std::string> ControlClient::ask_stop(StopMode mode, std::int64_t timeout_ns) {
  impl_->ask(FrameKind::kAskStop, static_cast<std::uint32_t>(mode));
  return wait_for_reply(timeout_ns);
}

Result<std::string> ControlClient::wait_for_reply(std::int64_t timeout_ns) {
  const std::string agent = "the agent of run " + impl_->endpoint.run_id;
  const std::int64_t deadline_ns = mono_now_ns() + timeout_ns;
  for (std::int64_t left_ns = timeout_ns; left_ns > 0; left_ns = deadline_ns - mono_now_ns()) {
    const bool gone = impl_->seen && !is_alive(impl_->endpoint);
    auto reply = receive(gone ? 0 : std::min(left_ns, kLookAgainNs));
    if (gone && !reply) return failure(agent + " ended before it answered");
    if (!reply || reply->number != impl_->last_number) continue;
    if (reply->ok) return std::move(reply->text);
    return failure(agent + " refused: " + reply->text);
  }
  return failure(agent + " did not answer in " + std::to_string(timeout_ns / 1'000'000) +
                 " ms; is it stopped?");
}

}  // namespace ringside::wire
