#include "protocol/runlog/segment_decoder.h"

#include <string>

#include "protocol/runlog/crc32c.h"
#include "protocol/runlog/headers.h"

namespace ringside::runlog {

Result<void> SegmentDecoder::push(std::span<const std::byte> bytes, messages::RecordSink& sink) {
  // The common case: with nothing left over, the bytes are decoded in place.
  if (tail_.empty()) {
    const auto used = RINGSIDE_TRY(decode(bytes, sink));
    const auto rest = bytes.subspan(used);
    tail_.assign(rest.begin(), rest.end());
  } else {
    tail_.insert(tail_.end(), bytes.begin(), bytes.end());
    const auto used = RINGSIDE_TRY(decode(tail_, sink));
    tail_.erase(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(used));
  }
  progress_.tail_bytes = tail_.size();
  return {};
}

void SegmentDecoder::finish(messages::RecordSink& sink) {
  if (!header_done_) {
    // The file header claims more bytes than the file has: it is torn, or damaged if segments
    // follow.
    if (!find_whole_segment(tail_)) return;
    progress_.header_damaged = true;
    header_done_ = true;
  }
  while (const auto next = find_whole_segment(tail_)) {
    skip(*next);
    const std::size_t used = *next + take_segments(std::span(tail_).subspan(*next), sink);
    tail_.erase(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(used));
    progress_.tail_bytes = tail_.size();
  }
}

void SegmentDecoder::skip(std::uint64_t bytes) {
  if (progress_.skipped_bytes == 0) progress_.first_skipped = progress_.consumed_bytes;
  progress_.skipped_bytes += bytes;
  progress_.consumed_bytes += bytes;
}

void SegmentDecoder::skip_to(std::uint64_t offset, messages::RecordSink& sink) {
  finish(sink);
  if (!header_done_) progress_.header_damaged = header_done_ = true;
  skip(offset - progress_.consumed_bytes);
  drop_tail();
}

// Finds a whole segment after the first byte, at which an incomplete one begins.
std::optional<std::size_t> SegmentDecoder::find_whole_segment(
    std::span<const std::byte> bytes) const {
  for (std::size_t at = 1; at < bytes.size(); ++at) {
    at = find_segment_magic(bytes, at);
    if (bytes.size() - at < kSegmentHeaderBytes) return std::nullopt;
    const auto rest = bytes.subspan(at);
    const auto header = decode_segment_header(rest.first(kSegmentHeaderBytes));
    if (!header || rest.size() - kSegmentHeaderBytes < header->payload_bytes) continue;
    if (crc32c(rest.subspan(kSegmentHeaderBytes, header->payload_bytes)) == header->payload_crc)
      return at;
  }
  return std::nullopt;
}

void SegmentDecoder::drop_tail() {
  tail_.clear();
  progress_.tail_bytes = 0;
}

Result<std::size_t> SegmentDecoder::decode(std::span<const std::byte> bytes,
                                           messages::RecordSink& sink) {
  std::size_t used = 0;
  if (!header_done_) {
    const auto header = RINGSIDE_TRY(take_header(bytes));
    used = header;
    if (!header_done_) return used;
  }
  return used + take_segments(bytes.subspan(used), sink);
}

Result<std::size_t> SegmentDecoder::take_header(std::span<const std::byte> bytes) {
  const FileHeader header = decode_file_header(bytes);
  switch (header.verdict) {
    case HeaderVerdict::kIncomplete:
      return std::size_t{0};
    case HeaderVerdict::kNewer:
      return bad_request("this run log has format version " + std::to_string(header.version) +
                         ", this program reads up to version " + std::to_string(kFormatVersion) +
                         "; use a newer ringside");
    case HeaderVerdict::kDamaged:
      // The header's length is not reliable either, so the search for segments starts at the first
      // byte.
      progress_.header_damaged = true;
      header_done_ = true;
      return std::size_t{0};
    case HeaderVerdict::kGood:
      break;
  }
  header_done_ = true;
  identity_ = header.identity;
  progress_.consumed_bytes += header.header_bytes;
  good_end_bytes_ = progress_.consumed_bytes;
  return header.header_bytes;
}

std::size_t SegmentDecoder::take_segments(std::span<const std::byte> bytes,
                                          messages::RecordSink& sink) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t candidate = find_segment_magic(bytes, at);
    skip(candidate - at);
    at = candidate;
    if (bytes.size() - at < kSegmentHeaderBytes) break;
    const auto header = decode_segment_header(bytes.subspan(at, kSegmentHeaderBytes));
    const std::size_t whole = header ? kSegmentHeaderBytes + header->payload_bytes : 0;
    if (header && bytes.size() - at < whole) break;
    if (!header || crc32c(bytes.subspan(at + kSegmentHeaderBytes, header->payload_bytes)) !=
                       header->payload_crc) {
      ++at;
      skip(1);
      continue;
    }
    // A segment number may be lower than expected in a log that a person concatenated; its records
    // count.
    if (header->number > next_number_) progress_.lost_segments += header->number - next_number_;
    next_number_ = header->number + 1;
    accept_segment(bytes.subspan(at, whole), sink);
    at += whole;
  }
  return at;
}

void SegmentDecoder::accept_segment(std::span<const std::byte> segment,
                                    messages::RecordSink& sink) {
  progress_.consumed_bytes += segment.size();
  good_end_bytes_ = progress_.consumed_bytes;
  ++progress_.segments;
  messages::decode_records(segment.subspan(kSegmentHeaderBytes), sink, progress_.decoded);
}

}  // namespace ringside::runlog
