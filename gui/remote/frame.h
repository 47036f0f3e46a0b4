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
  kHello = 1,   ///< JSON, once, from there
  kAsk = 2,     ///< JSON, to there
  kSignal = 3,  ///< JSON, to there: for the command of this ticket
  kBytes = 4,   ///< of a file, or what a command printed
  kErrors = 5,  ///< what a command wrote to standard error
  kDone = 6,    ///< JSON: the answer, the last of its ticket
  kRefused = 7  ///< JSON: why there is none; the last of its ticket
};

inline constexpr std::size_t kFrameHeaderBytes = 12;
inline constexpr std::size_t kMostPayloadBytes = std::size_t{4} << 20;

struct Frame {
  FrameKind kind = FrameKind::kAsk;
  std::uint32_t ticket = 0;  ///< names the question that this belongs to
  std::string payload;
};

/// `payload` of at most kMostPayloadBytes.
std::string encode(FrameKind kind, std::uint32_t ticket, std::string_view payload);

/// Frames out of a stream of bytes. Never holds more than one frame and what was pushed last.
class FrameReader {
 public:
  void push(std::string_view bytes) { buffer_ += bytes; }
  /// Nothing while the next one is incomplete. A failure: this is not a stream of frames, and
  /// nothing after it can be trusted.
  Result<std::optional<Frame>> next();

 private:
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of what was not taken yet
};

}  // namespace ringside::remote
