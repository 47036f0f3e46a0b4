// Encodes and decodes the log's two headers; internal to this folder. Pure.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "protocol/runlog/log_format.h"

namespace ringside::runlog {

using FileHeaderBytes = std::array<std::byte, kFileHeaderBytes>;
FileHeaderBytes encode_file_header(const LogIdentity& identity);

inline constexpr std::size_t kMaxFileHeaderBytes = 4096;
/// The first bytes of a file header, which contain its length.
inline constexpr std::size_t kFileHeaderPrefixBytes = 12;

enum class HeaderVerdict {
  kIncomplete,  ///< more bytes are needed
  kGood,
  kNewer,  ///< complete, but of a format version that this program does not know
  kDamaged,
};

struct FileHeader {
  HeaderVerdict verdict = HeaderVerdict::kIncomplete;
  std::uint16_t version = 0;
  std::size_t header_bytes = 0;
  LogIdentity identity;
};
FileHeader decode_file_header(std::span<const std::byte> bytes);

struct SegmentHeader {
  std::uint32_t payload_bytes = 0;
  std::uint64_t number = 0;
  std::uint32_t payload_crc = 0;
};
/// Writes kSegmentHeaderBytes at `at`.
void encode_segment_header(std::byte* at, const SegmentHeader& header);

/// Empty unless magic, length and header CRC are correct. `bytes` must hold kSegmentHeaderBytes.
std::optional<SegmentHeader> decode_segment_header(std::span<const std::byte> bytes);

/// The first offset at or after `from` at which a segment may begin: at its magic, or at the part
/// of a magic at the end. bytes.size() when there is none.
std::size_t find_segment_magic(std::span<const std::byte> bytes, std::size_t from);

}  // namespace ringside::runlog
