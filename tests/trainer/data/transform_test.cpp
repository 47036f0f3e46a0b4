#include "trainer/data/transform.h"

#include <set>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::data;

namespace {

TransformOptions options_of(std::int64_t crop, std::int64_t padding, bool flip) {
  messages::DataSpec spec;
  spec.crop = crop;
  spec.crop_padding = padding;
  spec.flip = flip;
  return transform_of(spec, true);
}

std::tuple<std::int64_t, std::int64_t, bool> tuple_of(const Window& window) {
  return {window.top, window.left, window.mirrored};
}

}  // namespace

TEST_CASE("sizes follow from the shorter side and the crop") {
  TransformOptions options;
  options.resize = 256;
  CHECK(resized(options, {375, 500}) == Size{256, 341});
  CHECK(resized(options, {500, 375}) == Size{341, 256});
  CHECK(resized(options, {1, 4000}) == Size{256, 1'024'000});
  CHECK(resized(options, {10, 10}) == Size{256, 256});
  options.crop = 224;
  CHECK(*output_size(options, {375, 500}) == Size{224, 224});
  CHECK(*output_size({}, {28, 30}) == Size{28, 30});
}

TEST_CASE("a crop that does not fit is a bad request with both numbers") {
  const auto size = output_size({0, 40, 3, false, false}, {32, 48});
  REQUIRE_FALSE(size);
  CHECK(size.error().kind == ErrorKind::kRequest);
  CHECK(size.error().message.find("data.crop = 40") != std::string::npos);
  CHECK(size.error().message.find("48 x 32") != std::string::npos);
  CHECK(output_size({0, 38, 3, false, false}, {32, 48}));
}

TEST_CASE("the center crop has the position of torchvision's CenterCrop") {
  // Python's int(round(rest / 2)) for rests 0 to 8.
  const std::vector<std::int64_t> expected{0, 0, 1, 2, 2, 2, 3, 4, 4};
  for (std::int64_t rest = 0; rest <= 8; ++rest) {
    const Window window = window_of({0, 20, 0, false, false}, {20 + rest, 20}, {20, 20}, 1, 2, 3);
    CHECK(window.top == expected[static_cast<std::size_t>(rest)]);
    CHECK(window.left == 0);
    CHECK_FALSE(window.mirrored);
  }
  CHECK(window_of({0, 32, 2, false, false}, {28, 28}, {32, 32}, 1, 2, 3).top == -2);
}

TEST_CASE("random crops reach every position within the padding and no other") {
  const TransformOptions options = options_of(32, 4, true);
  std::set<std::int64_t> tops;
  std::set<std::int64_t> lefts;
  int mirrored = 0;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const Window window = window_of(options, {32, 32}, {32, 32}, 42, 0, index);
    tops.insert(window.top);
    lefts.insert(window.left);
    mirrored += window.mirrored ? 1 : 0;
  }
  const std::set<std::int64_t> all{-4, -3, -2, -1, 0, 1, 2, 3, 4};
  CHECK(tops == all);
  CHECK(lefts == all);
  CHECK(mirrored > 900);
  CHECK(mirrored < 1100);
}

TEST_CASE("a window depends only on seed, epoch and sample") {
  const TransformOptions options = options_of(24, 0, true);
  const auto of = [&](std::uint64_t seed, std::uint64_t epoch) {
    std::vector<std::tuple<std::int64_t, std::int64_t, bool>> windows;
    for (std::uint64_t index = 0; index < 64; ++index) {
      windows.push_back(tuple_of(window_of(options, {32, 32}, {24, 24}, seed, epoch, index)));
    }
    return windows;
  };
  CHECK(of(1, 5) == of(1, 5));
  CHECK(of(1, 5) != of(1, 6));
  CHECK(of(1, 5) != of(2, 5));
}

TEST_CASE("a crop of the image's size without padding changes nothing") {
  const TransformOptions options = options_of(32, 0, false);
  for (std::uint64_t index = 0; index < 100; ++index) {
    const Window window = window_of(options, {32, 32}, {32, 32}, 1, 1, index);
    CHECK(tuple_of(window) == tuple_of(Window{}));
  }
}

TEST_CASE("the test half is never randomly cropped or flipped") {
  messages::DataSpec spec;
  spec.crop = 24;
  spec.crop_padding = 4;
  spec.flip = true;
  const TransformOptions options = transform_of(spec, false);
  for (std::uint64_t index = 0; index < 50; ++index) {
    const Window window = window_of(options, {32, 32}, {24, 24}, 1, 1, index);
    CHECK(tuple_of(window) == tuple_of(Window{4, 4, false}));
  }
}
