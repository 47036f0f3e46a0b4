#include "gui/remote/frame.h"

namespace ringside::remote {
namespace {

void put_u32(std::string& into, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    into += static_cast<char>(static_cast<unsigned char>(value >> shift));
}

std::uint32_t u32_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 4; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

bool is_kind(unsigned char kind) {
  return kind >= static_cast<unsigned char>(FrameKind::kHello) &&
         kind <= static_cast<unsigned char>(FrameKind::kRefused);
}

}  // namespace

std::string encode(FrameKind kind, std::uint32_t ticket, std::string_view payload) {
  std::string frame;
  frame.reserve(kFrameHeaderBytes + payload.size());
  put_u32(frame, static_cast<std::uint32_t>(payload.size()));
  frame += static_cast<char>(kind);
  frame.append(3, '\0');
  put_u32(frame, ticket);
  frame += payload;
  return frame;
}

Result<std::optional<Frame>> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  if (rest.size() < kFrameHeaderBytes) return std::optional<Frame>();
  const std::size_t bytes = u32_at(rest, 0);
  if (bytes > kMostPayloadBytes) return failure("a frame of impossible length came");
  const auto kind = static_cast<unsigned char>(rest[4]);
  if (!is_kind(kind) || rest.substr(5, 3) != std::string_view("\0\0\0", 3))
    return failure("a frame of an unknown kind came");
  if (rest.size() - kFrameHeaderBytes < bytes) return std::optional<Frame>();
  Frame frame{static_cast<FrameKind>(kind), u32_at(rest, 8),
              std::string(rest.substr(kFrameHeaderBytes, bytes))};
  begin_ += kFrameHeaderBytes + bytes;
  // Bytes that were taken are erased only once they are the larger part, so that not every frame
  // moves the rest.
  if (begin_ * 2 > buffer_.size()) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  return std::optional<Frame>(std::move(frame));
}

}  // namespace ringside::remote
