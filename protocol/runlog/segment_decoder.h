// Decodes the bytes of a run log into records, in pieces of any size. Never crashes on damaged
// input and buffers at most one segment. Used by one thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/record_sink.h"
#include "protocol/runlog/log_format.h"

namespace ringside::runlog {

class SegmentDecoder {
 public:
  /// Takes the next bytes of the log (the first call starts at file offset 0) and passes every
  /// record that is now complete to `sink`. Damage is skipped and counted. Fails only for a log of
  /// a newer format version (a bad request that names both versions), of which nothing more is
  /// decoded.
  Result<void> push(std::span<const std::byte> bytes, messages::RecordSink& sink);

  /// Call when no more bytes will come. An incomplete segment counts as damaged if whole ones
  /// follow, which are then decoded; at the end of the log it remains the tail.
  void finish(messages::RecordSink& sink);

  /// Skips the bytes up to `offset` (a hole of a sparse file) as damage, along with an incomplete
  /// segment before them.
  void skip_to(std::uint64_t offset, messages::RecordSink& sink);

  /// Drops bytes that are not yet a whole segment; the next push must start at
  /// progress().consumed_bytes.
  void drop_tail();

  /// at_end is set by the caller, which knows where the log ends.
  const LogProgress& progress() const { return progress_; }
  /// Empty until the file header was read, or when it is damaged.
  const LogIdentity& identity() const { return identity_; }
  bool header_seen() const { return header_done_; }
  /// The last decoded segment's number plus one.
  std::uint64_t next_number() const { return next_number_; }
  /// File offset after the last valid segment: where a writer continues.
  std::uint64_t good_end_bytes() const { return good_end_bytes_; }

 private:
  Result<std::size_t> decode(std::span<const std::byte> bytes, messages::RecordSink& sink);
  Result<std::size_t> take_header(std::span<const std::byte> bytes);
  std::size_t take_segments(std::span<const std::byte> bytes, messages::RecordSink& sink);
  void skip(std::uint64_t bytes);
  std::optional<std::size_t> find_whole_segment(std::span<const std::byte> bytes) const;
  void accept_segment(std::span<const std::byte> segment, messages::RecordSink& sink);

  std::vector<std::byte> tail_;
  LogIdentity identity_;
  LogProgress progress_;
  std::uint64_t next_number_ = 0;
  std::uint64_t good_end_bytes_ = 0;
  bool header_done_ = false;
};

}  // namespace ringside::runlog
