// The header of every message on the wire, as specified in FORMAT.md; internal to this folder and
// its tests. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "protocol/base/ids.h"

namespace ringside::wire {

inline constexpr std::uint32_t kFrameMagic = 0x46575352;  // "RSWF"
inline constexpr std::uint16_t kWireVersion = 1;
inline constexpr std::size_t kFrameBytes = 56;
inline constexpr std::size_t kMaxFramePayload = std::size_t{2} << 20;
/// ZeroMQ closes a connection that sends a larger message, before allocating memory for it.
inline constexpr std::int64_t kMaxMessageBytes = (std::int64_t{2} << 20) + 1024;

enum class FrameKind : std::uint16_t {
  kHello = 1,
  kBatch = 2,
  kGoodbye = 3,
  kGoodbyeAck = 4,
  kStop = 5,
  kAck = 6,
  kFollow = 16,
  kRefused = 21,
  kAskStatus = 22,
  kAskStop = 23,
  kReply = 24,
  // Numbers from 32 on: NodeMessage::Kind.
};

struct Frame {
  FrameKind kind = FrameKind::kHello;
  std::uint64_t run_token = 0;
  Node node = 0;
  Rank rank = kNoRank;
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  std::uint32_t count = 0;
  std::uint32_t payload_bytes = 0;
  std::int32_t attempt = 0;
};

enum class FrameVerdict : std::uint8_t { kGood, kMalformed, kWrongVersion, kTooLarge };

/// Writes kFrameBytes at `at`.
void encode_frame(std::byte* at, const Frame& frame);

/// Reads the first kFrameBytes of a message without checking the lengths; sets `frame` on success.
FrameVerdict decode_head(std::span<const std::byte> head, Frame& frame);

/// Reads the header of a whole message and checks its lengths; sets `frame` on success. The kind
/// may be unknown.
FrameVerdict decode_frame(std::span<const std::byte> message, Frame& frame);

}  // namespace ringside::wire
