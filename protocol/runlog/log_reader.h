// Reads a run log through a ByteFile, once or repeatedly while it grows. Finished, live and damaged
// logs take the same path. Used by one thread; owns the file.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "protocol/base/byte_file.h"
#include "protocol/runlog/segment_decoder.h"

namespace ringside::runlog {

class LogReader {
 public:
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  explicit LogReader(std::unique_ptr<ByteFile> file);

  /// Decodes what is new since the last call, up to about `max_bytes` (rounded up to reads of 256
  /// KiB), and returns the progress since the beginning. If `at_end` is false, call again for more.
  /// A torn tail is not an error; the next call reads it again. Errors: the file cannot be read, or
  /// its format version is newer than this program's.
  Result<LogProgress> poll(messages::RecordSink& sink, std::uint64_t max_bytes = kNoLimit);

  /// The last call for a log that is no longer written: see SegmentDecoder::finish.
  LogProgress finish(messages::RecordSink& sink);

  /// Empty until the first successful poll of a log with a complete header.
  const LogIdentity& identity() const { return decoder_.identity(); }
  const SegmentDecoder& decoder() const { return decoder_; }

 private:
  Result<void> decode(std::size_t bytes, messages::RecordSink& sink);
  void drop_left();
  LogProgress progress(bool at_end) const;

  std::unique_ptr<ByteFile> file_;
  SegmentDecoder decoder_;
  std::vector<std::byte> buffer_;
  std::size_t left_bytes_ = 0;  // at the start of buffer_, not yet a whole segment
  std::uint64_t end_seen_bytes_ = 0;
  bool was_at_end_ = false;
};

/// Progress callback of a long read; returning false cancels it.
using ReadWatch = std::function<bool(std::uint64_t done_bytes, std::uint64_t total_bytes)>;

/// Opens and reads a whole log, including a damaged end. Fails when `watch` cancels it.
Result<LogProgress> read_log(const std::filesystem::path& path, messages::RecordSink& sink,
                             const ReadWatch& watch = {});

}  // namespace ringside::runlog
