#include "gui/remote/frame.h"

#include <random>
#include <vector>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::remote;

namespace {

std::vector<Frame> all_of(FrameReader& reader) {
  std::vector<Frame> frames;
  for (;;) {
    auto next = reader.next();
    REQUIRE(next);
    if (!*next) return frames;
    frames.push_back(std::move(**next));
  }
}

}  // namespace

TEST_CASE("frames are decoded as they were encoded, however the bytes are split") {
  const std::string text("\0\xff in the middle", 16);
  const std::string bytes = encode(FrameKind::kAsk, 7, "{}") + encode(FrameKind::kBytes, 8, text) +
                            encode(FrameKind::kDone, 0xFFFFFFFF, "");
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.push(std::string_view(bytes).substr(at, step));
      for (Frame& frame : all_of(reader)) frames.push_back(std::move(frame));
    }
    REQUIRE(frames.size() == 3);
    CHECK(frames[0].kind == FrameKind::kAsk);
    CHECK(frames[0].ticket == 7);
    CHECK(frames[0].payload == "{}");
    CHECK(frames[1].payload == text);
    CHECK(frames[2].ticket == 0xFFFFFFFF);
    CHECK(frames[2].payload.empty());
  }
}

TEST_CASE("the bytes of a frame are those of FORMAT.md") {
  CHECK(encode(FrameKind::kSignal, 0x01020304, "ab") ==
        std::string("\2\0\0\0\3\0\0\0\4\3\2\1ab", 14));
}

TEST_CASE(
    "S4: a frame of a hostile length or an unknown kind ends the stream before it is stored") {
  for (const std::string& bytes :
       {std::string("\xff\xff\xff\xff\2\0\0\0\0\0\0\0", 12),
        std::string("\1\0\x40\0\2\0\0\0\0\0\0\0", 12),  // one byte more than the maximum
        std::string("\0\0\0\0\0\0\0\0\0\0\0\0", 12), std::string("\0\0\0\0\x08\0\0\0\0\0\0\0", 12),
        std::string("\0\0\0\0\2\1\0\0\0\0\0\0", 12), std::string("\0\0\0\0\2\0\0\1\0\0\0\0", 12)}) {
    FrameReader reader;
    reader.push(bytes);
    CHECK(!reader.next());
  }
  FrameReader most;
  most.push(encode(FrameKind::kBytes, 1, std::string(kMostPayloadBytes, 'x')));
  CHECK(all_of(most).size() == 1);
}

TEST_CASE("S4: random bytes never make more frames than fit, and never crash") {
  std::mt19937 random(17);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 200, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 4 == 0 ? random() : 0);
    FrameReader reader;
    reader.push(bytes);
    std::size_t frames = 0;
    for (auto next = reader.next(); next && *next; next = reader.next()) ++frames;
    CHECK(frames * kFrameHeaderBytes <= bytes.size());
  }
}
