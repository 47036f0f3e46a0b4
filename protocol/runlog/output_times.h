// When the agent saw what a rank had written to its streams: `output_times` beside the files, since
// the lines themselves carry no time. Text, a line each time they were seen to have grown (at once,
// and then ten times a second, later once): wall_ns, and the bytes of stdout and of stderr then.
// Written by the agent, read by viewers; any thread.
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

/// Ascending; never changed once it is shared.
using SharedMarks = std::shared_ptr<const std::vector<OutputMark>>;

/// Path of the marks in a rank's folder.
std::filesystem::path output_times_path(const std::filesystem::path& rank_folder);

/// The marks of one rank as the agent notes them. Used by one thread.
class OutputMarkWriter {
 public:
  explicit OutputMarkWriter(const std::filesystem::path& rank_folder);
  /// Opens the file with the first mark and keeps it open.
  Result<void> append(const OutputMark& mark);

 private:
  std::filesystem::path path_;
  std::unique_ptr<ByteFile> file_;
};

/// The marks of one rank's folder, as they come. Used by one thread.
class OutputMarks {
 public:
  explicit OutputMarks(const std::filesystem::path& rank_folder);

  /// Reads what was appended since the last call; true when there was anything. Marks that tell
  /// nothing of the bytes from these on are dropped, and so are those of before a stream was cut.
  bool read(std::uint64_t stdout_begin, std::uint64_t stderr_begin);
  /// Never null; empty where there is no such file.
  const SharedMarks& shared() const { return marks_; }

 private:
  std::filesystem::path path_;
  std::uint64_t offset_ = 0;  // of the first line that was not read
  SharedMarks marks_;
};

}  // namespace ringside::runlog
