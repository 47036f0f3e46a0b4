// One foreign file, read from where it was left as it grows, as `tail -f` does: a record that is
// not whole yet is waited for, and a file that was replaced or cut is read anew. Opens the file
// only while it reads and never writes to it. Used by one thread.
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

  /// Reads some megabytes at most of what is new. True: there is more to read at once. `at_end`:
  /// nobody writes to it any more. A file that is gone has nothing new. An error, which does not
  /// name the file: it cannot be read.
  Result<bool> poll(bool at_end, Findings& found);
  /// Why it is not a file of its kind at all; empty: it is, or nothing is in it.
  std::string foreign() const { return reader_->foreign(); }
  /// Whether all that was there is read.
  bool caught_up() const { return caught_up_; }

  const std::filesystem::path& path() const { return path_; }
  /// When it was last written to, as poll() found it; since 1970.
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
  std::uint64_t offset_ = 0;  ///< of the first byte that the reader did not take
  std::string head_;          ///< how the file began when it was first read
  std::string before_;        ///< what stood before that byte
  std::string buffer_;
  std::size_t wanted_bytes_;
  Seen seen_;
  bool caught_up_ = false;
};

}  // namespace ringside::watch
