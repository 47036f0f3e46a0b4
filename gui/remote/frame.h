// Frames of FORMAT.md: a length, a kind, a ticket, a payload. Pure; an object is used by one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace ringside::remote {

enum class FrameKind : std::uint8_t {
  kHello = 1,   ///< JSON, once, from the helper
  kAsk = 2,     ///< JSON, to the helper
  kSignal = 3,  ///< JSON, to the helper: for the command with this ticket
  kBytes = 4,   ///< bytes of a file, or standard output of a command
  kErrors = 5,  ///< standard error of a command
  kDone = 6,    ///< JSON: the answer, the last frame of its ticket
  kRefused = 7  ///< JSON: why there is no answer; the last frame of its ticket
};

inline constexpr std::size_t kFrameHeaderBytes = 12;
inline constexpr std::size_t kMostPayloadBytes = std::size_t{4} << 20;

struct Frame {
  FrameKind kind = FrameKind::kAsk;
  std::uint32_t ticket = 0;  ///< identifies the question that this frame belongs to
  std::string payload;
};

/// Encodes a frame; `payload` has at most kMostPayloadBytes.
std::string encode(FrameKind kind, std::uint32_t ticket, std::string_view payload);

/// Splits a stream of bytes into frames. Holds at most one frame and the last pushed bytes.
class FrameReader {
 public:
  void push(std::string_view bytes) { buffer_ += bytes; }
  /// The next frame; nothing while it is incomplete. Fails if this is not a stream of frames;
  /// nothing after that can be trusted.
  Result<std::optional<Frame>> next();

 private:
  std::string buffer_;
  std::size_t begin_ = 0;  ///< start of the bytes that were not taken yet
};

}  // namespace ringside::remote
