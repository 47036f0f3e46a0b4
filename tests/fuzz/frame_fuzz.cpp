// A message of the wire: a valid header describes exactly the bytes that follow, and encoding it
// again gives the same bytes.
#include "protocol/wire/frame.h"

#include "tests/fuzz/input.h"
#include "tests/support/record_list.h"

using namespace ringside;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::bytes_of(data, size);
  wire::Frame frame;
  if (wire::decode_frame(bytes, frame) != wire::FrameVerdict::kGood) return 0;
  fuzz::require(bytes.size() == wire::kFrameBytes + frame.payload_bytes);
  std::array<std::byte, wire::kFrameBytes> head{};
  wire::encode_frame(head.data(), frame);
  wire::Frame again;
  std::vector<std::byte> message(bytes.begin(), bytes.end());
  std::copy(head.begin(), head.end(), message.begin());
  fuzz::require(wire::decode_frame(message, again) == wire::FrameVerdict::kGood);
  fuzz::require(again.kind == frame.kind && again.number == frame.number &&
                again.rank == frame.rank && again.offset == frame.offset);
  support::RecordList list;
  messages::DecodeCounts counts;
  messages::decode_records(bytes.subspan(wire::kFrameBytes), list, counts);
  fuzz::require(list.entries.size() == counts.records);
  return 0;
}
