#include "protocol/wire/frame.h"

#include "protocol/base/raw_number.h"

namespace ringside::wire {

void encode_frame(std::byte* at, const Frame& frame) {
  store(at, kFrameMagic);
  store(at + 4, kWireVersion);
  store(at + 6, static_cast<std::uint16_t>(frame.kind));
  store(at + 8, frame.run_token);
  store(at + 16, frame.node);
  store(at + 20, frame.rank);
  store(at + 24, frame.number);
  store(at + 32, frame.offset);
  store(at + 40, frame.count);
  store(at + 44, frame.payload_bytes);
  store(at + 48, frame.attempt);
  store(at + 52, std::uint32_t{0});
}

FrameVerdict decode_head(std::span<const std::byte> head, Frame& frame) {
  const std::byte* at = head.data();
  if (load<std::uint32_t>(at) != kFrameMagic) return FrameVerdict::kMalformed;
  if (load<std::uint16_t>(at + 4) != kWireVersion) return FrameVerdict::kWrongVersion;
  const auto payload = load<std::uint32_t>(at + 44);
  if (payload > kMaxFramePayload) return FrameVerdict::kTooLarge;
  frame.kind = static_cast<FrameKind>(load<std::uint16_t>(at + 6));
  frame.run_token = load<std::uint64_t>(at + 8);
  frame.node = load<Node>(at + 16);
  frame.rank = load<Rank>(at + 20);
  frame.number = load<std::uint64_t>(at + 24);
  frame.offset = load<std::uint64_t>(at + 32);
  frame.count = load<std::uint32_t>(at + 40);
  frame.payload_bytes = payload;
  frame.attempt = load<std::int32_t>(at + 48);
  return FrameVerdict::kGood;
}

FrameVerdict decode_frame(std::span<const std::byte> message, Frame& frame) {
  if (message.size() < kFrameBytes) return FrameVerdict::kMalformed;
  const std::size_t payload = message.size() - kFrameBytes;
  Frame head;
  const FrameVerdict verdict = decode_head(message.first(kFrameBytes), head);
  const bool readable = verdict == FrameVerdict::kGood || verdict == FrameVerdict::kTooLarge;
  if (readable && payload > kMaxFramePayload) return FrameVerdict::kTooLarge;
  if (readable && (verdict != FrameVerdict::kGood || head.payload_bytes != payload))
    return FrameVerdict::kMalformed;
  if (verdict == FrameVerdict::kGood) frame = head;
  return verdict;
}

}  // namespace ringside::wire
