// Turns the bytes of a run log, in whatever pieces they arrive, into records. Never crashes
// on damaged input and never keeps more than one segment. Used by one
// thread.
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
  /// Takes the next bytes of the log (the first call starts at file offset 0) and hands every
  /// record that is now whole to `sink`. Damage is skipped and counted. Fails only for a log of a
  /// newer format version (a bad request that names both versions); nothing is decoded from then
  /// on.
  Result<void> push(std::span<const std::byte> bytes, messages::RecordSink& sink);

  /// No more bytes will come: an incomplete segment at the end counts as damaged when whole ones
  /// follow its start, which are then decoded. A torn end stays the tail.
  void finish(messages::RecordSink& sink);

  /// The bytes up to `offset` are known to hold nothing: damage, what is not whole before them too.
  void skip_to(std::uint64_t offset, messages::RecordSink& sink);

  /// Forgets bytes that are not yet a whole segment; the next push starts at
  /// progress().consumed_bytes.
  void drop_tail();

  /// at_end is set by the caller, which knows where the log ends.
  const LogProgress& progress() const { return progress_; }
  /// Empty until the file header arrived, or when it is damaged.
  const LogIdentity& identity() const { return identity_; }
  bool header_seen() const { return header_done_; }
  /// Number that follows the last decoded segment's.
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
