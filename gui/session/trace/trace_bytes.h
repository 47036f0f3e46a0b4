// Reads a trace file, plain or gzip, in pieces: bytes that were not consumed stay in front of the
// next piece. One thread; lives while the file is read.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "gui/session/trace/json_scan.h"
#include "protocol/base/result.h"

struct gzFile_s;

namespace ringside::session {

/// Progress of a read for other threads, which may cancel it.
struct TraceProgress {
  std::atomic<std::uint64_t> read_bytes = 0;
  std::atomic<std::uint64_t> all_bytes = 0;
  std::atomic<bool> cancel = false;
  std::function<bool()> given_up{};  ///< called by the reading thread for each piece

  bool over() const { return cancel || (given_up && given_up()); }
};

class TraceBytes {
 public:
  static Result<TraceBytes> open(const std::filesystem::path& path, TraceProgress& progress);

  /// Scans the available bytes. more() keeps its position in the text and discards what is before
  /// `at`.
  JsonScan scan;
  /// Reads the next piece. False at the end of the file; an error if it cannot be read, or if the
  /// bytes that were not consumed are too many.
  Result<bool> more();
  /// Returns the position of `scan` in the unpacked text.
  std::uint64_t offset() const;

 private:
  using File = std::unique_ptr<gzFile_s, int (*)(gzFile_s*)>;
  TraceBytes(File file, std::filesystem::path path, TraceProgress& progress);

  File file_;
  std::filesystem::path path_;
  TraceProgress* progress_;
  std::uint64_t before_ = 0;  ///< packed bytes of this and earlier files
  std::uint64_t given_up_ = 0;
  std::string text_;
};

}  // namespace ringside::session
