// Appends to the log of one node of one run. Bytes that were written whole never change; a failed
// write (disk full) is truncated and counted, and the next one is tried as usual. Used by one
// thread; owns the file. Each file must have a single writer: see FolderLock.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "protocol/base/byte_file.h"
#include "protocol/runlog/log_format.h"

namespace ringside::runlog {

/// What could not be written. Segment numbers are used up all the same, so that readers see the gap
/// as lost_segments.
struct WriteLosses {
  std::uint64_t payloads = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  bool operator==(const WriteLosses&) const = default;
};

class LogWriter {
 public:
  /// Writes the header to an empty file (or with the first append if the disk is full now). A file
  /// with content is continued after its last whole segment: the rest is truncated, its identity
  /// stays. Errors: unreadable, not a run log, or of a newer version.
  static Result<LogWriter> open(std::unique_ptr<ByteFile> file, const LogIdentity& identity);

  /// Writes one segment with one write. `payload` is one or more whole records (codec.h), at most
  /// kMaxPayloadBytes; `records` is used only to count losses. On failure the payload is lost and
  /// counted, the file is unchanged, and the next call tries again.
  Result<void> append(std::span<const std::byte> payload, std::uint64_t records);

  /// fdatasync; the owner calls it about once per second and at the end.
  Result<void> sync();

  /// Offset after the last whole segment, up to which readers may read.
  std::uint64_t end_bytes() const { return end_bytes_; }
  const WriteLosses& losses() const { return losses_; }

 private:
  LogWriter(std::unique_ptr<ByteFile> file, LogIdentity identity);
  Result<void> continue_existing(std::uint64_t size);
  Result<void> write_header();
  Result<void> write_whole(std::span<const std::byte> bytes);

  std::unique_ptr<ByteFile> file_;
  LogIdentity identity_;
  std::vector<std::byte> scratch_;
  std::uint64_t next_number_ = 0;
  std::uint64_t end_bytes_ = 0;
  WriteLosses losses_;
  bool torn_ = false;  // bytes of a failed write may follow end_bytes_
};

}  // namespace ringside::runlog
