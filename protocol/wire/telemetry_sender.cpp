#include "protocol/wire/telemetry_sender.h"

#include <cstring>
#include <deque>

#include "protocol/base/clock.h"
#include "protocol/wire/socket.h"

namespace ringside::wire {
namespace {

// Overhead of a batch in ZeroMQ, roughly, so that tiny batches count as well.
constexpr std::size_t kBatchOverheadBytes = 256;

std::size_t charge_of(const Message& message) { return message.size() + kBatchOverheadBytes; }

}  // namespace

struct TelemetrySender::Impl {
  // Closed in the opposite order: the socket, then the context with what is still queued.
  Context context;
  Socket socket;
  Frame head;  // what all frames of this rank share
  std::size_t limit_bytes = kDefaultUnacknowledgedBytes;
  std::uint64_t next_number = 0;
  // Sent and not acknowledged, the newest last: its number is next_number - 1. The bytes are those
  // that the socket sends, not copies.
  std::deque<Message> kept;
  std::size_t kept_bytes = 0;
  std::optional<StopRequest> stop;
  bool said_goodbye = false;

  bool fits(std::span<const std::byte> payload) const {
    return kept_bytes + kFrameBytes + payload.size() + kBatchOverheadBytes <= limit_bytes;
  }
  bool post(FrameKind kind, std::span<const std::byte> payload, std::uint32_t count);
  void acknowledge(std::uint64_t number);
  void read_control();
};

TelemetrySender::TelemetrySender(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TelemetrySender::TelemetrySender(TelemetrySender&&) noexcept = default;
TelemetrySender& TelemetrySender::operator=(TelemetrySender&&) noexcept = default;

TelemetrySender::~TelemetrySender() {
  // After a goodbye there is nothing left to wait for.
  if (impl_ && impl_->said_goodbye) impl_->socket.set(ZMQ_LINGER, 0);
}

Result<TelemetrySender> TelemetrySender::connect(const AgentEndpoint& endpoint, Node node,
                                                 Rank rank, std::int32_t attempt,
                                                 std::size_t max_unacknowledged_bytes) {
  auto impl = std::make_unique<Impl>();
  // No mark of ZeroMQ's: a thousand small batches would be refused, and the goodbye behind them,
  // long before the limit in bytes.
  auto socket = open_dealer(impl->context, endpoint, endpoint.telemetry_endpoint, 0);
  if (!socket) return pass(socket);
  impl->socket = std::move(*socket);
  impl->socket.set(ZMQ_LINGER, static_cast<int>(kCloseNs / 1'000'000));
  impl->head.run_token = endpoint.run_token;
  impl->head.node = node;
  impl->head.rank = rank;
  impl->head.attempt = attempt;
  impl->limit_bytes = max_unacknowledged_bytes;
  impl->post(FrameKind::kHello, {}, 0);
  return TelemetrySender(std::move(impl));
}

bool TelemetrySender::Impl::post(FrameKind kind, std::span<const std::byte> payload,
                                 std::uint32_t count) {
  Message message;
  if (payload.size() > kMaxPayloadBytes || !message.resize(kFrameBytes + payload.size()))
    return false;
  Frame frame = head;
  frame.kind = kind;
  frame.number = kind == FrameKind::kHello ? 0 : next_number;
  frame.count = count;
  frame.payload_bytes = static_cast<std::uint32_t>(payload.size());
  encode_frame(message.data(), frame);
  if (!payload.empty()) std::memcpy(message.data() + kFrameBytes, payload.data(), payload.size());
  if (kind == FrameKind::kHello) return socket.send(message.get());

  const std::size_t charge = charge_of(message);
  if (!kept.emplace_back().share(message) || !socket.send(message.get())) {
    kept.pop_back();
    return false;
  }
  kept_bytes += charge;
  ++next_number;
  return true;
}

// Up to and with this number.
void TelemetrySender::Impl::acknowledge(std::uint64_t number) {
  if (number >= next_number) return;
  while (!kept.empty() && next_number - kept.size() <= number) {
    kept_bytes -= charge_of(kept.front());
    kept.pop_front();
  }
}

void TelemetrySender::Impl::read_control() {
  Message message;
  Frame frame;
  while (socket.receive(message)) {
    if (socket.skip_rest(message)) continue;
    if (decode_frame(message.bytes(), frame) != FrameVerdict::kGood ||
        frame.run_token != head.run_token)
      continue;
    if (frame.kind == FrameKind::kStop) {
      stop = StopRequest{frame.count == 0 ? StopMode::kGraceful : StopMode::kNow};
    } else if (frame.kind == FrameKind::kAck || frame.kind == FrameKind::kGoodbyeAck) {
      acknowledge(frame.number);
    }
  }
}

bool TelemetrySender::send(std::span<const std::byte> payload, std::uint32_t record_count) {
  if (!impl_->fits(payload)) impl_->read_control();
  return impl_->fits(payload) && impl_->post(FrameKind::kBatch, payload, record_count);
}

bool TelemetrySender::send_rest(std::span<const std::byte> payload, std::uint32_t record_count) {
  return impl_->post(FrameKind::kBatch, payload, record_count);
}

std::size_t TelemetrySender::unacknowledged_bytes() const { return impl_->kept_bytes; }

std::vector<std::span<const std::byte>> TelemetrySender::unacknowledged() const {
  std::vector<std::span<const std::byte>> payloads;
  for (Message& message : impl_->kept) {
    if (message.size() > kFrameBytes) payloads.push_back(message.bytes().subspan(kFrameBytes));
  }
  return payloads;
}

std::optional<StopRequest> TelemetrySender::poll_control() {
  impl_->read_control();
  return std::exchange(impl_->stop, std::nullopt);
}

bool TelemetrySender::goodbye(std::span<const std::byte> payload, std::uint32_t record_count,
                              std::int64_t deadline_mono_ns) {
  impl_->said_goodbye = true;
  if (!impl_->post(FrameKind::kGoodbye, payload, record_count)) return false;
  while (!impl_->kept.empty()) {
    const std::int64_t left_ns = deadline_mono_ns - mono_now_ns();
    if (left_ns <= 0) return false;
    zmq_pollitem_t item{impl_->socket.get(), -1, ZMQ_POLLIN, 0};
    if (zmq_poll(&item, 1, poll_ms(left_ns)) < 0 && zmq_errno() != EINTR) return false;
    impl_->read_control();
  }
  return true;
}

PollHandle TelemetrySender::poll_handle() const { return {impl_->socket.get()}; }

}  // namespace ringside::wire
