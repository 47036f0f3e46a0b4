// A run log, raw or (first byte odd) the fuzzer's bytes with correct checksums. The result is the
// same whether it is read at once or byte by byte, and every byte is accounted for.
#include "protocol/runlog/crc32c.h"
#include "protocol/runlog/headers.h"
#include "protocol/runlog/segment_decoder.h"
#include "tests/fuzz/input.h"
#include "tests/support/record_list.h"

using namespace ringside;

namespace {

struct Reading {
  bool refused = false;
  support::RecordList list;
  runlog::LogProgress progress;
};

Reading read(std::span<const std::byte> log, std::size_t piece) {
  runlog::SegmentDecoder decoder;
  Reading reading;
  for (std::size_t at = 0; at < log.size() && !reading.refused; at += piece) {
    const auto next = log.subspan(at, std::min(piece, log.size() - at));
    reading.refused = !decoder.push(next, reading.list).has_value();
  }
  if (!reading.refused) decoder.finish(reading.list);
  reading.progress = decoder.progress();
  return reading;
}

std::vector<std::byte> sealed(std::span<const std::byte> payload) {
  const auto header = runlog::encode_file_header({"20261121T134005Z-7f3a1c", 3, 1, 42, "boot"});
  std::vector<std::byte> log(header.begin(), header.end());
  log.resize(header.size() + runlog::kSegmentHeaderBytes);
  runlog::encode_segment_header(
      log.data() + header.size(),
      {static_cast<std::uint32_t>(payload.size()), 0, runlog::crc32c(payload)});
  log.insert(log.end(), payload.begin(), payload.end());
  return log;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto input = fuzz::bytes_of(data + 1, size - 1);
  const std::vector<std::byte> log =
      data[0] % 2 == 1 ? sealed(input) : std::vector<std::byte>(input.begin(), input.end());
  const Reading whole = read(log, log.size());
  const Reading pieces = read(log, 1 + data[0] / 2);
  fuzz::require(whole.refused == pieces.refused);
  if (whole.refused) return 0;
  fuzz::require(whole.progress.consumed_bytes + whole.progress.tail_bytes == log.size());
  fuzz::require(whole.progress.skipped_bytes == pieces.progress.skipped_bytes);
  fuzz::require(whole.list.entries.size() == pieces.list.entries.size());
  for (std::size_t i = 0; i < whole.list.entries.size(); ++i)
    fuzz::require(
        support::same_record(whole.list.entries[i].record, pieces.list.entries[i].record));
  return 0;
}
