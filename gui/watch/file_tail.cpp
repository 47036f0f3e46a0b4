#include "gui/watch/file_tail.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "gui/watch/csv_reader.h"
#include "gui/watch/tensorboard_reader.h"
#include "gui/watch/wandb_reader.h"
#include "protocol/host/files.h"
#include "protocol/host/platform.h"

namespace ringside::watch {
namespace {

constexpr std::size_t kReadBytes = std::size_t{4} << 20;
constexpr std::size_t kMostBytes = kMaxRecordBytes + kReadBytes;
constexpr std::size_t kHeadBytes = 1024;

Result<std::size_t> read_at(ByteFile& file, std::uint64_t offset, std::string& into) {
  return file.read_at(offset, std::as_writable_bytes(std::span(into)));
}

}  // namespace

std::unique_ptr<FileReader> make_reader(Format format, TableOptions options) {
  if (format == Format::kWandb) return std::make_unique<WandbReader>();
  if (format == Format::kTensorBoard) return std::make_unique<TensorBoardReader>();
  return std::make_unique<CsvReader>(std::move(options));
}

FileTail::FileTail(Format format, std::filesystem::path path, TableOptions options)
    : path_(std::move(path)),
      reader_(make_reader(format, std::move(options))),
      wanted_bytes_(kReadBytes) {}

/// Detects that the file was replaced: loggers that get a new column rewrite the whole file with
/// another first line, and a restarted program may write another file with the same beginning.
Result<void> FileTail::look_for_replacement(ByteFile& file, std::uint64_t size_bytes,
                                            Findings& found) {
  std::string head(head_.size(), '\0');
  std::string before(before_.size(), '\0');
  for (const auto& got : {read_at(file, 0, head), read_at(file, offset_ - before.size(), before)}) {
    if (!got) return pass(got);
  }
  const bool cut = size_bytes < offset_;
  if (!cut && head == head_ && before == before_) return {};
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  const bool grown = !cut && first_line(head) != first_line(head_);
  if (!grown) leave_out(found.left_out, {kWrittenAnew, "", 1, true});
  reader_->begin_again(grown);
  offset_ = 0;
  head_.clear();
  before_.clear();
  return {};
}

Result<bool> FileTail::read_on(ByteFile& file, bool at_end, Findings& found) {
  buffer_.resize(wanted_bytes_);
  const auto got = RINGSIDE_TRY(read_at(file, offset_, buffer_));
  const bool all = got < wanted_bytes_;
  const std::string_view bytes = std::string_view(buffer_).substr(0, got);
  const std::size_t used = reader_->take(bytes, all && at_end, found);
  if (offset_ == 0) head_ = bytes.substr(0, std::min(used, kHeadBytes));
  if (used > 0)
    before_ = bytes.substr(used - std::min(used, kHeadBytes), std::min(used, kHeadBytes));
  offset_ += used;
  if (!all && used == 0 && wanted_bytes_ == kMostBytes)
    return bad_request("at byte " + std::to_string(offset_) + " begins a record without an end");
  wanted_bytes_ = !all && used == 0 ? std::min(2 * wanted_bytes_, kMostBytes) : kReadBytes;
  if (all) std::string().swap(buffer_);
  return !all;
}

Result<bool> FileTail::poll(bool at_end, Findings& found) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return false;
  const Seen now{static_cast<std::uint64_t>(status.st_size), written_wall_ns(status)};
  if (caught_up_ && now == seen_ && !at_end) return false;
  auto file = open_file(path_, OpenMode::kRead);
  // The file is just being replaced, so the next poll will find it.
  if (!file && ::stat(path_.c_str(), &status) != 0) return false;
  if (!file) return bad_request(file.error().message);
  if (now != seen_) {
    RINGSIDE_TRY(look_for_replacement(**file, now.size_bytes, found));
  }
  seen_ = now;
  const auto more = RINGSIDE_TRY(read_on(**file, at_end, found));
  caught_up_ = !more;
  return more;
}

}  // namespace ringside::watch
