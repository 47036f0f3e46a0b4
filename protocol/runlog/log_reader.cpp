#include "protocol/runlog/log_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "protocol/host/files.h"

namespace ringside::runlog {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;

}  // namespace

LogReader::LogReader(std::unique_ptr<ByteFile> file) : file_(std::move(file)) {}

Result<LogProgress> LogReader::poll(messages::RecordSink& sink, std::uint64_t max_bytes) {
  const auto size = RINGSIDE_TRY(file_->size());
  if (size == end_seen_bytes_) return progress(true);

  // A writer truncates a failed write, so the incomplete tail may have been replaced by other
  // bytes.
  if (was_at_end_) drop_left();
  std::uint64_t budget = max_bytes;
  while (budget > 0) {
    buffer_.resize(left_bytes_ + kReadBytes);
    const std::uint64_t at = decoder_.progress().consumed_bytes + left_bytes_;
    if (const std::uint64_t hole = file_->hole_at(at); hole >= kLeastHoleBytes) {
      decoder_.skip_to(at + hole, sink);
      left_bytes_ = 0;
      continue;
    }
    const auto got = RINGSIDE_TRY(file_->read_at(at, std::span(buffer_).subspan(left_bytes_)));
    was_at_end_ = got < kReadBytes;
    RINGSIDE_TRY(decode(left_bytes_ + got, sink));
    if (was_at_end_) {
      end_seen_bytes_ = at + got;
      break;
    }
    budget -= std::min<std::uint64_t>(budget, got);
  }
  return progress(was_at_end_);
}

void LogReader::drop_left() {
  left_bytes_ = 0;
  decoder_.drop_tail();
}

// Decodes the start of buffer_ and moves the rest to its start.
Result<void> LogReader::decode(std::size_t bytes, messages::RecordSink& sink) {
  decoder_.drop_tail();
  RINGSIDE_TRY(decoder_.push(std::span(buffer_).first(bytes), sink));
  left_bytes_ = static_cast<std::size_t>(decoder_.progress().tail_bytes);
  std::memmove(buffer_.data(), buffer_.data() + bytes - left_bytes_, left_bytes_);
  return {};
}

LogProgress LogReader::finish(messages::RecordSink& sink) {
  decoder_.finish(sink);
  left_bytes_ = static_cast<std::size_t>(decoder_.progress().tail_bytes);
  return progress(true);
}

LogProgress LogReader::progress(bool at_end) const {
  LogProgress progress = decoder_.progress();
  progress.at_end = at_end;
  return progress;
}

Result<LogProgress> read_log(const std::filesystem::path& path, messages::RecordSink& sink,
                             const ReadWatch& watch) {
  constexpr std::uint64_t kBytesBetweenWatches = std::uint64_t{4} << 20;
  auto file = RINGSIDE_TRY(open_file(path, OpenMode::kRead));
  const auto size = RINGSIDE_TRY(file->size());
  LogReader reader(std::move(file));
  for (bool at_end = false; !at_end;) {
    const auto polled = reader.poll(sink, watch ? kBytesBetweenWatches : LogReader::kNoLimit);
    if (!polled) return polled;
    at_end = polled->at_end;
    if (watch && !watch(std::min(polled->consumed_bytes, size), size))
      return failure("the reading of " + path.string() + " was given up");
  }
  return reader.finish(sink);
}

}  // namespace ringside::runlog
