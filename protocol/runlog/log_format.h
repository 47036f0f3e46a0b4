// Constants and plain structs of the run log, as specified in FORMAT.md. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/messages/codec.h"

namespace ringside::runlog {

inline constexpr std::uint16_t kFormatVersion = 1;
inline constexpr std::size_t kFileHeaderBytes = 128;
inline constexpr std::size_t kSegmentHeaderBytes = 24;
/// Maximum size of the records in one segment: the largest record and a batch around it.
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{2} << 20;

/// Minimum size of a sparse file's hole that is skipped unread; no segment is this large.
inline constexpr std::uint64_t kLeastHoleBytes = std::uint64_t{4} << 20;

/// Origin of a log, from its file header.
struct LogIdentity {
  RunId run_id;  ///< at most 76 bytes are stored
  Node node = 0;
  std::int64_t wall_ns = 0;  ///< when the log was created, at the same moment as mono_ns
  std::int64_t mono_ns = 0;
  std::string boot_id;  ///< current_boot_id(); mono_ns can only be compared within one boot
  bool operator==(const LogIdentity&) const = default;
};

/// Position of a reader and what it found since it was created.
struct LogProgress {
  std::uint64_t consumed_bytes = 0;  ///< decoded or skipped; a follower continues at this offset
  std::uint64_t segments = 0;        ///< decoded
  std::uint64_t lost_segments =
      0;  ///< segment numbers that are missing: damaged, or never written (disk full)
  std::uint64_t skipped_bytes = 0;  ///< damaged
  std::uint64_t first_skipped = 0;  ///< offset of the first damaged byte
  std::uint64_t tail_bytes =
      0;  ///< at the end, not yet a whole segment: torn, or still being written
  bool header_damaged =
      false;  ///< the file header is unreadable; identity is empty, but records may follow
  bool at_end = false;  ///< nothing more to decode at the moment
  messages::DecodeCounts decoded;
};

}  // namespace ringside::runlog
