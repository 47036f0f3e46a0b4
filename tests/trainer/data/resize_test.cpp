#include "trainer/data/resize.h"

#include "tests/support/catch.h"
#include "tests/trainer/data/sample_images.h"

using namespace ringside::data;
using Bytes = std::vector<std::uint8_t>;

namespace {

Bytes pattern(std::int64_t height, std::int64_t width) {
  Bytes plane;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      plane.push_back(static_cast<std::uint8_t>(x * 37 + y * 101 + x * y * 7));
    }
  }
  return plane;
}

Bytes resize(const Bytes& planes, std::size_t count, Size from, Size to) {
  Bytes rows;
  Bytes out;
  resize_planes(planes.data(), count, from, to, rows, out);
  return out;
}

}  // namespace

// Image.fromarray(pattern).resize((width, height), Image.BILINEAR) of Pillow.
TEST_CASE("a resized plane is bitwise equal to Pillow's") {
  struct Golden {
    Size from;
    Size to;
    std::uint64_t hash;
  };
  for (const Golden& golden : std::vector<Golden>{{{5, 7}, {3, 4}, 0x28899e25057d4d6f},
                                                  {{37, 50}, {16, 21}, 0xf2228743d4a8fca3},
                                                  {{50, 37}, {21, 16}, 0xb01bd80a2880daae},
                                                  {{5, 7}, {20, 28}, 0xb67d3e27dcc5a851},
                                                  {{32, 32}, {224, 224}, 0x416e516b11bd3ed5},
                                                  {{333, 500}, {64, 96}, 0x6d3bcf5d66d7d370},
                                                  {{16, 16}, {16, 8}, 0x694b4c63437309ff}}) {
    INFO(golden.from.height << " x " << golden.from.width);
    const Bytes out =
        resize(pattern(golden.from.height, golden.from.width), 1, golden.from, golden.to);
    CHECK(ringside::testing::hash_of(out) == golden.hash);
  }
  CHECK(resize(pattern(5, 7), 1, {5, 7}, {3, 4}) ==
        Bytes{64, 127, 121, 153, 165, 137, 121, 168, 130, 117, 123, 112});
  CHECK(resize(pattern(64, 64), 1, {64, 64}, {1, 1}) == Bytes{126});
}

TEST_CASE("planes are resized independently") {
  const Bytes first = pattern(9, 7);
  const Bytes second(63, 200);
  Bytes both = first;
  both.insert(both.end(), second.begin(), second.end());
  const Bytes out = resize(both, 2, {9, 7}, {4, 3});
  const Bytes alone = resize(first, 1, {9, 7}, {4, 3});
  CHECK(Bytes(out.begin(), out.begin() + 12) == alone);
  CHECK(Bytes(out.begin() + 12, out.end()) == Bytes(12, 200));
}
