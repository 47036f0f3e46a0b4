#include "protocol/wire/control_server.h"

#include <algorithm>
#include <span>
#include <utility>

#include "protocol/wire/authenticator_impl.h"

namespace ringside::wire {
namespace {

constexpr std::int64_t kMaxRequestBytes = 4096;
constexpr int kWaitingRequests = 64;
constexpr int kWaitingAnswers = 4096;

}  // namespace

struct ControlServer::Impl {
  explicit Impl(Authenticator& owner) : authenticator(owner) {}

  Authenticator& authenticator;
  Socket socket;
  Message identity;
  Message message;
  std::uint64_t refused = 0;

  // A reply to a viewer that is gone is dropped.
  void send(const std::string& to, const Frame& frame, std::string_view text) {
    if (socket.send_address(to)) socket.send_frame(frame, std::as_bytes(std::span(text)));
  }
};

ControlServer::ControlServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ControlServer::~ControlServer() = default;

Result<std::unique_ptr<ControlServer>> ControlServer::open(Authenticator& authenticator) {
  auto impl = std::make_unique<Impl>(authenticator);
  auto socket = RINGSIDE_TRY(
      authenticator.impl().open_router(kMaxRequestBytes, kWaitingRequests, kWaitingAnswers));
  impl->socket = std::move(socket);
  return std::unique_ptr<ControlServer>(new ControlServer(std::move(impl)));
}

std::string ControlServer::endpoint() const { return endpoint_of(impl_->socket); }
PollHandle ControlServer::poll_handle() const { return {impl_->socket.get()}; }
std::uint64_t ControlServer::refused() const { return impl_->refused; }

std::optional<ControlRequest> ControlServer::serve() {
  using Kind = ControlRequest::Kind;
  while (impl_->socket.receive(impl_->identity)) {
    if (!impl_->identity.more() || !impl_->socket.receive(impl_->message)) continue;
    Frame frame;
    const bool good = !impl_->socket.skip_rest(impl_->message) &&
                      decode_frame(impl_->message.bytes(), frame) == FrameVerdict::kGood;
    std::string from(impl_->identity.text());
    if (good && (frame.kind == FrameKind::kAskStatus || frame.kind == FrameKind::kAskStop)) {
      const Kind stop = frame.count == 0 ? Kind::kStop : Kind::kStopNow;
      std::string ticket(reinterpret_cast<const char*>(&frame.number), sizeof frame.number);
      return ControlRequest{frame.kind == FrameKind::kAskStatus ? Kind::kStatus : stop,
                            frame.run_token, ticket + from};
    }
    ++impl_->refused;
    if (!good || frame.kind != FrameKind::kFollow) continue;
    frame.kind = FrameKind::kRefused;
    impl_->send(from, frame, "the log is read from its file");
  }
  impl_->authenticator.serve();
  return std::nullopt;
}

void ControlServer::reply(const ControlRequest& request, bool ok, std::string_view text) {
  Frame frame;
  frame.kind = FrameKind::kReply;
  frame.run_token = request.run_token;
  frame.count = ok ? 1 : 0;
  if (request.ticket.size() <= sizeof frame.number) return;
  std::copy_n(request.ticket.data(), sizeof frame.number, reinterpret_cast<char*>(&frame.number));
  impl_->send(request.ticket.substr(sizeof frame.number), frame, text);
}

}  // namespace ringside::wire
