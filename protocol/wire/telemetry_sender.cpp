#include "protocol/wire/telemetry_sender.h"

#include <utility>

#include "protocol/base/clock.h"

namespace ringside::wire {
namespace {

// Approximate overhead of a batch, so that tiny batches count as well.
constexpr std::size_t kBatchOverheadBytes = 256;

std::size_t charge_of(const RankChannel::Bytes& frame) {
  return frame->size() + kBatchOverheadBytes;
}

}  // namespace

TelemetrySender::TelemetrySender(std::unique_ptr<RankChannel> channel,
                                 const AgentEndpoint& endpoint, Node node, Rank rank,
                                 std::int32_t attempt, std::size_t max_unacknowledged_bytes)
    : channel_(std::move(channel)), limit_bytes_(max_unacknowledged_bytes) {
  head_.run_token = endpoint.run_token;
  head_.node = node;
  head_.rank = rank;
  head_.attempt = attempt;
  post(FrameKind::kHello, {}, 0);
}

TelemetrySender::~TelemetrySender() = default;

bool TelemetrySender::fits(std::span<const std::byte> payload) const {
  return kept_bytes_ + kFrameBytes + payload.size() + kBatchOverheadBytes <= limit_bytes_;
}

bool TelemetrySender::post(FrameKind kind, std::span<const std::byte> payload,
                           std::uint32_t count) {
  if (payload.size() > kMaxPayloadBytes) return false;
  Frame frame = head_;
  frame.kind = kind;
  frame.number = next_number_;
  frame.count = count;
  frame.payload_bytes = static_cast<std::uint32_t>(payload.size());
  auto bytes = std::make_shared<std::vector<std::byte>>();
  bytes->reserve(kFrameBytes + payload.size());
  bytes->resize(kFrameBytes);
  encode_frame(bytes->data(), frame);
  bytes->insert(bytes->end(), payload.begin(), payload.end());
  if (kind == FrameKind::kHello) return channel_->send(bytes);
  kept_.push_back(bytes);
  if (!channel_->send(bytes)) {
    kept_.pop_back();
    return false;
  }
  kept_bytes_ += charge_of(bytes);
  ++next_number_;
  return true;
}

// Drops the batches up to and including this number.
void TelemetrySender::acknowledge(std::uint64_t number) {
  if (number >= next_number_) return;
  while (!kept_.empty() && next_number_ - kept_.size() <= number) {
    kept_bytes_ -= charge_of(kept_.front());
    kept_.pop_front();
  }
}

void TelemetrySender::read_control() {
  Frame frame;
  while (channel_->receive(frame)) {
    if (frame.run_token != head_.run_token) continue;
    if (frame.kind == FrameKind::kStop) {
      stop_ = StopRequest{frame.count == 0 ? StopMode::kGraceful : StopMode::kNow};
    } else if (frame.kind == FrameKind::kAck || frame.kind == FrameKind::kGoodbyeAck) {
      acknowledge(frame.number);
    }
  }
}

bool TelemetrySender::send(std::span<const std::byte> payload, std::uint32_t record_count) {
  if (!fits(payload)) read_control();
  return fits(payload) && post(FrameKind::kBatch, payload, record_count);
}

bool TelemetrySender::send_rest(std::span<const std::byte> payload, std::uint32_t record_count) {
  return post(FrameKind::kBatch, payload, record_count);
}

std::size_t TelemetrySender::unacknowledged_bytes() const { return kept_bytes_; }

std::vector<std::span<const std::byte>> TelemetrySender::unacknowledged() const {
  std::vector<std::span<const std::byte>> payloads;
  for (const auto& frame : kept_) {
    if (frame->size() > kFrameBytes)
      payloads.push_back(std::span<const std::byte>(*frame).subspan(kFrameBytes));
  }
  return payloads;
}

std::optional<StopRequest> TelemetrySender::poll_control() {
  read_control();
  return std::exchange(stop_, std::nullopt);
}

bool TelemetrySender::goodbye(std::span<const std::byte> payload, std::uint32_t record_count,
                              std::int64_t deadline_mono_ns) {
  channel_->forget();
  if (!post(FrameKind::kGoodbye, payload, record_count)) return false;
  for (read_control(); !kept_.empty(); read_control()) {
    const std::int64_t left_ns = deadline_mono_ns - mono_now_ns();
    if (left_ns <= 0 || !channel_->wait(left_ns)) return false;
  }
  return true;
}

}  // namespace ringside::wire
