#include "protocol/wire/frame.h"

#include <vector>

#include "tests/support/catch.h"
#include "tests/support/hex.h"

namespace ringside::wire {
namespace {

Frame frame_sample() {
  Frame frame;
  frame.kind = FrameKind::kBatch;
  frame.run_token = 0x1122334455667788;
  frame.node = 2;
  frame.rank = 7;
  frame.number = 9;
  frame.offset = 11;
  frame.count = 3;
  frame.payload_bytes = 4;
  frame.attempt = 1;
  return frame;
}

std::vector<std::byte> message_of(const Frame& frame) {
  std::vector<std::byte> message(kFrameBytes + frame.payload_bytes);
  encode_frame(message.data(), frame);
  return message;
}

TEST_CASE("a frame has the bytes in FORMAT.md") {
  CHECK(support::to_hex(message_of(frame_sample())) ==
        "52535746"
        "0100"
        "0200"
        "8877665544332211"
        "02000000"
        "07000000"
        "0900000000000000"
        "0b00000000000000"
        "03000000"
        "04000000"
        "01000000"
        "00000000"
        "00000000");
}

TEST_CASE("a frame is decoded as it was encoded") {
  Frame back;
  REQUIRE(decode_frame(message_of(frame_sample()), back) == FrameVerdict::kGood);
  CHECK(back.kind == FrameKind::kBatch);
  CHECK(back.run_token == 0x1122334455667788);
  CHECK(back.node == 2);
  CHECK(back.rank == 7);
  CHECK(back.number == 9);
  CHECK(back.offset == 11);
  CHECK(back.count == 3);
  CHECK(back.payload_bytes == 4);
  CHECK(back.attempt == 1);
}

TEST_CASE("frames with inconsistent headers are refused by reason") {
  Frame back;
  const auto good = message_of(frame_sample());
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    REQUIRE(decode_frame(std::span(good).first(cut), back) == FrameVerdict::kMalformed);
  }
  auto longer = good;
  longer.push_back(std::byte{0});
  CHECK(decode_frame(longer, back) == FrameVerdict::kMalformed);
  auto magic = good;
  magic[0] ^= std::byte{1};
  CHECK(decode_frame(magic, back) == FrameVerdict::kMalformed);
  auto version = good;
  version[4] = std::byte{2};
  CHECK(decode_frame(version, back) == FrameVerdict::kWrongVersion);
  Frame huge = frame_sample();
  huge.payload_bytes = kMaxFramePayload + 1;
  CHECK(decode_frame(message_of(huge), back) == FrameVerdict::kTooLarge);
}

}  // namespace
}  // namespace ringside::wire
