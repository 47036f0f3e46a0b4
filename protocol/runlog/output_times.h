// The times at which a rank's output appeared, as seen by the agent, since the lines themselves
// carry no time: the file `output_times` beside the output files. Text, one line each time they
// have grown (at once, then at most ten times per second, later once): wall_ns, and the sizes of
// stdout and stderr in bytes. Written by the agent, read by viewers; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "protocol/base/byte_file.h"
#include "protocol/base/result.h"

namespace ringside::runlog {

struct OutputMark {
  std::int64_t wall_ns = 0;
  std::uint64_t stdout_bytes = 0;
  std::uint64_t stderr_bytes = 0;
};

/// Ascending; immutable once shared.
using SharedMarks = std::shared_ptr<const std::vector<OutputMark>>;

/// Path of the marks in a rank's folder.
std::filesystem::path output_times_path(const std::filesystem::path& rank_folder);

/// Writes the marks of one rank. Used by one thread.
class OutputMarkWriter {
 public:
  explicit OutputMarkWriter(const std::filesystem::path& rank_folder);
  /// Opens the file at the first mark and keeps it open.
  Result<void> append(const OutputMark& mark);

 private:
  std::filesystem::path path_;
  std::unique_ptr<ByteFile> file_;
};

/// Reads the marks in one rank's folder as they are appended. Used by one thread.
class OutputMarks {
 public:
  explicit OutputMarks(const std::filesystem::path& rank_folder);

  /// Reads what was appended since the last call; true if there was anything. Drops marks before
  /// these offsets, and those from before a stream was truncated.
  bool read(std::uint64_t stdout_begin, std::uint64_t stderr_begin);
  /// Never null; empty without such a file.
  const SharedMarks& shared() const { return marks_; }

 private:
  std::filesystem::path path_;
  std::uint64_t offset_ = 0;  // of the first unread line
  SharedMarks marks_;
};

}  // namespace ringside::runlog
