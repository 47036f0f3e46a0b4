// The bytes of a trace file, plain or gzip, piece by piece: what was not taken yet stays in front
// of what comes. One thread; lives while the file is read.
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

/// How far a reading is, for others, who may end it.
struct TraceProgress {
  std::atomic<std::uint64_t> read_bytes = 0;
  std::atomic<std::uint64_t> all_bytes = 0;
  std::atomic<bool> cancel = false;
  std::function<bool()> given_up{};  ///< asked by the reading thread for every piece

  bool over() const { return cancel || (given_up && given_up()); }
};

class TraceBytes {
 public:
  static Result<TraceBytes> open(const std::filesystem::path& path, TraceProgress& progress);

  /// Over what is there; after more() it stands where it was. What is before `at` is given up then.
  JsonScan scan;
  /// Brings more. False at the end of the file; an error where it cannot be read, or where what was
  /// not taken has grown too large.
  Result<bool> more();
  /// How far `scan` is in the unpacked text.
  std::uint64_t offset() const;

 private:
  using File = std::unique_ptr<gzFile_s, int (*)(gzFile_s*)>;
  TraceBytes(File file, std::filesystem::path path, TraceProgress& progress);

  File file_;
  std::filesystem::path path_;
  TraceProgress* progress_;
  std::uint64_t before_ = 0;  ///< of this file and those before it, as they lie on the disk
  std::uint64_t given_up_ = 0;
  std::string text_;
};

}  // namespace ringside::session
