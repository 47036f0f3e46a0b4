// Numbers and plain structs of the run log, as specified in FORMAT.md. Pure.
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
/// Most bytes of records in one segment; room for the largest record and a batch around it.
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{2} << 20;

/// A hole of a sparse file is skipped unread from this size on: no segment can reach across it.
inline constexpr std::uint64_t kLeastHoleBytes = std::uint64_t{4} << 20;

/// What the head of a log says about its origin.
struct LogIdentity {
  RunId run_id;  ///< at most 76 bytes are kept
  Node node = 0;
  std::int64_t wall_ns = 0;  ///< at creation, the same moment as mono_ns
  std::int64_t mono_ns = 0;
  std::string boot_id;  ///< current_boot_id(); mono_ns compares only within it
  bool operator==(const LogIdentity&) const = default;
};

/// How far a reader has come and what it found, since it was created.
struct LogProgress {
  std::uint64_t consumed_bytes = 0;  ///< decoded or skipped: a follower continues from here
  std::uint64_t segments = 0;        ///< decoded
  std::uint64_t lost_segments =
      0;  ///< numbers missing between decoded ones: damaged here, or never written (disk full)
  std::uint64_t skipped_bytes = 0;  ///< damaged
  std::uint64_t first_skipped = 0;  ///< offset of the first of them
  std::uint64_t tail_bytes =
      0;  ///< at the end, not yet a whole segment: torn, or still being written
  bool header_damaged =
      false;  ///< the file's head is unreadable; identity is empty, records may still follow
  bool at_end = false;  ///< nothing more to decode right now
  messages::DecodeCounts decoded;
};

}  // namespace ringside::runlog
