#include "protocol/runlog/log_writer.h"

#include <cstring>
#include <string>
#include <utility>

#include "protocol/messages/ignore_records.h"
#include "protocol/runlog/crc32c.h"
#include "protocol/runlog/headers.h"
#include "protocol/runlog/segment_decoder.h"

namespace ringside::runlog {
LogWriter::LogWriter(std::unique_ptr<ByteFile> file, LogIdentity identity)
    : file_(std::move(file)), identity_(std::move(identity)) {}

Result<LogWriter> LogWriter::open(std::unique_ptr<ByteFile> file, const LogIdentity& identity) {
  LogWriter writer(std::move(file), identity);
  const auto size = RINGSIDE_TRY(writer.file_->size());
  if (size > 0) {
    RINGSIDE_TRY(writer.continue_existing(size));
  } else {
    // On a full disk the header is written with the first append that succeeds.
    [[maybe_unused]] const auto now_or_later = writer.write_header();
  }
  return writer;
}

Result<void> LogWriter::continue_existing(std::uint64_t size) {
  SegmentDecoder decoder;
  messages::IgnoreRecords sink;
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  std::uint64_t at = 0;
  while (at < size) {
    if (const auto hole = file_->hole_at(at); hole >= kLeastHoleBytes) {
      at += hole;
      decoder.skip_to(at, sink);
      continue;
    }
    const auto got = RINGSIDE_TRY(file_->read_at(at, buffer));
    if (got == 0) break;
    at += got;
    RINGSIDE_TRY(decoder.push(std::span(buffer).first(got), sink));
  }
  decoder.finish(sink);
  const bool torn_header = !decoder.header_seen();
  if (decoder.progress().header_damaged && decoder.progress().segments == 0) {
    return failure(
        "cannot continue the run log: the file is not a run log, or its beginning is damaged; move "
        "it away");
  }
  next_number_ = decoder.next_number();
  end_bytes_ = decoder.good_end_bytes();
  torn_ = end_bytes_ < size;
  if (torn_) {
    RINGSIDE_TRY(file_->truncate(end_bytes_));
    torn_ = false;
  }
  return torn_header ? write_header() : Result<void>{};
}

Result<void> LogWriter::write_header() { return write_whole(encode_file_header(identity_)); }

Result<void> LogWriter::append(std::span<const std::byte> payload, std::uint64_t records) {
  const std::uint64_t number = next_number_++;
  Result<void> written;
  if (payload.empty() || payload.size() > kMaxPayloadBytes) {
    written =
        bad_request("cannot log " + std::to_string(payload.size()) +
                    " bytes at once; a segment holds 1 to " + std::to_string(kMaxPayloadBytes));
  }
  if (written && end_bytes_ == 0) written = write_header();
  if (written) {
    const std::size_t whole = kSegmentHeaderBytes + payload.size();
    if (scratch_.size() < whole) scratch_.resize(whole);
    encode_segment_header(scratch_.data(),
                          {static_cast<std::uint32_t>(payload.size()), number, crc32c(payload)});
    std::memcpy(scratch_.data() + kSegmentHeaderBytes, payload.data(), payload.size());
    written = write_whole(std::span(scratch_).first(whole));
  }
  if (!written) {
    ++losses_.payloads;
    losses_.records += records;
    losses_.bytes += payload.size();
  }
  return written;
}

Result<void> LogWriter::write_whole(std::span<const std::byte> bytes) {
  if (torn_ && file_->truncate(end_bytes_)) torn_ = false;
  auto written = file_->append(bytes);
  if (!written) {
    torn_ = !file_->truncate(end_bytes_);
    return written;
  }
  end_bytes_ += bytes.size();
  if (torn_) {
    // If a failed write could not be truncated, this one follows its remains, which readers skip.
    const auto size = RINGSIDE_TRY(file_->size());
    end_bytes_ = size;
    torn_ = false;
  }
  return written;
}

Result<void> LogWriter::sync() { return file_->sync(); }

}  // namespace ringside::runlog
