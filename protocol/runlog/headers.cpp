#include "protocol/runlog/headers.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "protocol/base/raw_number.h"
#include "protocol/runlog/crc32c.h"

namespace ringside::runlog {
namespace {

constexpr std::string_view kFileMagic = "RINGLOG\n";
constexpr std::string_view kSegmentMagic = "RSEG";
constexpr std::size_t kBootIdAt = 32;
constexpr std::size_t kBootIdBytes = 16;
constexpr std::size_t kRunIdAt = 48;
constexpr std::size_t kRunIdBytes = 76;
constexpr std::size_t kCrcBytes = 4;

// "0f1e2d3c-...": 32 hexadecimal digits separated by dashes; anything else is stored as unknown.
void store_uuid(std::byte* at, std::string text) {
  std::erase(text, '-');
  if (text.size() != 2 * kBootIdBytes) return;
  std::array<std::byte, kBootIdBytes> bytes{};
  for (std::size_t i = 0; i < kBootIdBytes; ++i) {
    unsigned value = 0;
    const char* digits = text.data() + 2 * i;
    if (std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2) return;
    bytes[i] = static_cast<std::byte>(value);
  }
  std::memcpy(at, bytes.data(), bytes.size());
}

std::string load_uuid(const std::byte* at) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
  if (std::all_of(at, at + kBootIdBytes, is_zero)) return {};
  std::string text;
  for (std::size_t i = 0; i < kBootIdBytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[std::to_integer<std::size_t>(at[i] >> 4)];
    text += kDigits[std::to_integer<std::size_t>(at[i] & std::byte{15})];
  }
  return text;
}

LogIdentity load_identity(const std::byte* at) {
  LogIdentity identity;
  identity.node = load<Node>(at + 12);
  identity.wall_ns = load<std::int64_t>(at + 16);
  identity.mono_ns = load<std::int64_t>(at + 24);
  identity.boot_id = load_uuid(at + kBootIdAt);
  const char* run_id = reinterpret_cast<const char*>(at + kRunIdAt);
  identity.run_id.assign(run_id, ::strnlen(run_id, kRunIdBytes));
  return identity;
}

}  // namespace

FileHeaderBytes encode_file_header(const LogIdentity& identity) {
  FileHeaderBytes bytes{};
  std::byte* at = bytes.data();
  std::memcpy(at, kFileMagic.data(), kFileMagic.size());
  store(at + 8, kFormatVersion);
  store(at + 10, static_cast<std::uint16_t>(kFileHeaderBytes));
  store(at + 12, identity.node);
  store(at + 16, identity.wall_ns);
  store(at + 24, identity.mono_ns);
  store_uuid(at + kBootIdAt, identity.boot_id);
  std::memcpy(at + kRunIdAt, identity.run_id.data(), std::min(identity.run_id.size(), kRunIdBytes));
  const auto covered = std::span(bytes).first(kFileHeaderBytes - kCrcBytes);
  store(at + covered.size(), crc32c(covered));
  return bytes;
}

FileHeader decode_file_header(std::span<const std::byte> bytes) {
  FileHeader header;
  const std::size_t magic_there = std::min(bytes.size(), kFileMagic.size());
  if (std::memcmp(bytes.data(), kFileMagic.data(), magic_there) != 0) {
    header.verdict = HeaderVerdict::kDamaged;
    return header;
  }
  if (bytes.size() < kFileHeaderPrefixBytes) return header;
  header.version = load<std::uint16_t>(bytes.data() + 8);
  header.header_bytes = load<std::uint16_t>(bytes.data() + 10);
  if (header.header_bytes < kFileHeaderPrefixBytes + kCrcBytes ||
      header.header_bytes > kMaxFileHeaderBytes) {
    header.verdict = HeaderVerdict::kDamaged;
    return header;
  }
  if (bytes.size() < header.header_bytes) return header;
  const std::size_t covered = header.header_bytes - kCrcBytes;
  if (crc32c(bytes.first(covered)) != load<std::uint32_t>(bytes.data() + covered)) {
    header.verdict = HeaderVerdict::kDamaged;
  } else if (header.version > kFormatVersion) {
    header.verdict = HeaderVerdict::kNewer;
  } else if (header.header_bytes < kFileHeaderBytes) {
    header.verdict = HeaderVerdict::kDamaged;
  } else {
    header.verdict = HeaderVerdict::kGood;
    header.identity = load_identity(bytes.data());
  }
  return header;
}

void encode_segment_header(std::byte* at, const SegmentHeader& header) {
  std::memcpy(at, kSegmentMagic.data(), kSegmentMagic.size());
  store(at + 4, header.payload_bytes);
  store(at + 8, header.number);
  store(at + 16, header.payload_crc);
  store(at + 20, crc32c(std::span(at, std::size_t{20})));
}

std::optional<SegmentHeader> decode_segment_header(std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  if (std::memcmp(at, kSegmentMagic.data(), kSegmentMagic.size()) != 0) return std::nullopt;
  const SegmentHeader header{load<std::uint32_t>(at + 4), load<std::uint64_t>(at + 8),
                             load<std::uint32_t>(at + 16)};
  if (header.payload_bytes == 0 || header.payload_bytes > kMaxPayloadBytes) return std::nullopt;
  if (crc32c(bytes.first(20)) != load<std::uint32_t>(at + 20)) return std::nullopt;
  return header;
}

std::size_t find_segment_magic(std::span<const std::byte> bytes, std::size_t from) {
  while (from < bytes.size()) {
    const void* hit = std::memchr(bytes.data() + from, kSegmentMagic[0], bytes.size() - from);
    if (hit == nullptr) return bytes.size();
    const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - bytes.data());
    const std::size_t there = std::min(kSegmentMagic.size(), bytes.size() - at);
    if (std::memcmp(bytes.data() + at, kSegmentMagic.data(), there) == 0) return at;
    from = at + 1;
  }
  return bytes.size();
}

}  // namespace ringside::runlog
