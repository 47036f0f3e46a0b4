#include "protocol/wire/telemetry_sender.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "protocol/base/clock.h"
#include "protocol/wire/socket.h"

namespace ringside::wire {
namespace {

// Overhead of a batch in ZeroMQ, roughly, so that tiny batches count as well.
constexpr std::size_t kBatchOverheadBytes = 256;

// A buffer that ZeroMQ releases when the operating system has taken it: its size is in flight
// until then.
struct Parcel {
  std::atomic<std::size_t>* in_flight;
  std::size_t charge;
};

void release_parcel(void*, void* hint) {
  auto* parcel = static_cast<Parcel*>(hint);
  parcel->in_flight->fetch_sub(parcel->charge, std::memory_order_relaxed);
  parcel->~Parcel();
  std::free(parcel);
}

}  // namespace

struct TelemetrySender::Impl {
  // Closed in the opposite order: the socket, the context with what is still queued, then the
  // count.
  std::atomic<std::size_t> in_flight{0};
  Context context;
  Socket socket;
  Frame head;  // what all frames of this rank share
  std::size_t limit_bytes = kDefaultInFlightBytes;
  std::uint64_t next_number = 0;
  std::optional<StopRequest> stop;
  bool acknowledged = false;
  bool said_goodbye = false;

  bool post(FrameKind kind, std::span<const std::byte> payload, std::uint32_t count, bool bounded);
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
                                                 std::size_t max_in_flight_bytes) {
  auto impl = std::make_unique<Impl>();
  auto socket = open_dealer(impl->context, endpoint, endpoint.telemetry_endpoint);
  if (!socket) return pass(socket);
  impl->socket = std::move(*socket);
  impl->socket.set(ZMQ_LINGER, static_cast<int>(kCloseNs / 1'000'000));
  impl->head.run_token = endpoint.run_token;
  impl->head.node = node;
  impl->head.rank = rank;
  impl->head.attempt = attempt;
  impl->limit_bytes = max_in_flight_bytes;
  impl->post(FrameKind::kHello, {}, 0, false);
  return TelemetrySender(std::move(impl));
}

bool TelemetrySender::Impl::post(FrameKind kind, std::span<const std::byte> payload,
                                 std::uint32_t count, bool bounded) {
  const std::size_t size = kFrameBytes + payload.size();
  const std::size_t charge = size + kBatchOverheadBytes;
  if (payload.size() > kMaxPayloadBytes) return false;
  if (bounded && in_flight.load(std::memory_order_relaxed) + charge > limit_bytes) return false;
  void* memory = std::malloc(sizeof(Parcel) + size);
  if (memory == nullptr) return false;
  auto* parcel = new (memory) Parcel{&in_flight, charge};
  auto* bytes = static_cast<std::byte*>(memory) + sizeof(Parcel);
  Frame frame = head;
  frame.kind = kind;
  frame.number = kind == FrameKind::kHello ? 0 : next_number;
  frame.count = count;
  frame.payload_bytes = static_cast<std::uint32_t>(payload.size());
  encode_frame(bytes, frame);
  if (!payload.empty()) std::memcpy(bytes + kFrameBytes, payload.data(), payload.size());

  in_flight.fetch_add(charge, std::memory_order_relaxed);
  zmq_msg_t message;
  if (zmq_msg_init_data(&message, bytes, size, release_parcel, parcel) != 0) {
    release_parcel(nullptr, parcel);
    return false;
  }
  if (!socket.send(&message)) {
    zmq_msg_close(&message);
    return false;
  }
  if (kind != FrameKind::kHello) ++next_number;
  return true;
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
    } else if (frame.kind == FrameKind::kGoodbyeAck && frame.number + 1 == next_number) {
      acknowledged = true;
    }
  }
}

bool TelemetrySender::send(std::span<const std::byte> payload, std::uint32_t record_count) {
  return impl_->post(FrameKind::kBatch, payload, record_count, true);
}

std::size_t TelemetrySender::in_flight_bytes() const {
  return impl_->in_flight.load(std::memory_order_relaxed);
}

std::optional<StopRequest> TelemetrySender::poll_control() {
  impl_->read_control();
  return std::exchange(impl_->stop, std::nullopt);
}

bool TelemetrySender::goodbye(std::span<const std::byte> payload, std::uint32_t record_count,
                              std::int64_t deadline_mono_ns) {
  impl_->said_goodbye = true;
  impl_->acknowledged = false;
  if (!impl_->post(FrameKind::kGoodbye, payload, record_count, false)) return false;
  while (!impl_->acknowledged) {
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
