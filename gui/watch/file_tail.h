// Follows one foreign file as it grows, like `tail -f`: waits for incomplete records, and starts
// over if the file was replaced or truncated. Opens the file only while reading and never writes to
// it. Used by one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "gui/watch/file_reader.h"
#include "gui/watch/table_columns.h"
#include "protocol/base/byte_file.h"
#include "protocol/base/result.h"

namespace ringside::watch {

enum class Format : std::uint8_t { kWandb, kTensorBoard, kCsv };

std::unique_ptr<FileReader> make_reader(Format format, TableOptions options = {});

class FileTail {
 public:
  FileTail(Format format, std::filesystem::path path, TableOptions options = {});

  /// Reads up to some megabytes of new data. Returns true if there is more to read at once.
  /// `at_end`: nobody writes to the file any more. A file that was deleted has nothing new. Fails
  /// if the file cannot be read; the error does not name it.
  Result<bool> poll(bool at_end, Findings& found);
  /// Why the file is not of its format at all; empty: it is, or it is empty.
  std::string foreign() const { return reader_->foreign(); }
  /// Whether all existing bytes have been read.
  bool caught_up() const { return caught_up_; }

  const std::filesystem::path& path() const { return path_; }
  /// Modification time of the file at the last poll(), since 1970.
  std::int64_t changed_wall_ns() const { return seen_.changed_ns; }

 private:
  struct Seen {
    std::uint64_t size_bytes = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const Seen&) const = default;
  };

  Result<void> look_for_replacement(ByteFile& file, std::uint64_t size_bytes, Findings& found);
  Result<bool> read_on(ByteFile& file, bool at_end, Findings& found);

  std::filesystem::path path_;
  std::unique_ptr<FileReader> reader_;
  std::uint64_t offset_ = 0;  ///< of the first byte that the reader has not taken
  std::string head_;          ///< beginning of the file when it was first read
  std::string before_;        ///< bytes before offset_
  std::string buffer_;
  std::size_t wanted_bytes_;
  Seen seen_;
  bool caught_up_ = false;
};

}  // namespace ringside::watch
