#include "trainer/data/generators.h"

#include <zlib.h>

#include <set>

#include "tests/support/catch.h"

using namespace ringside::data;
using Bytes = std::vector<std::uint8_t>;

namespace {

Bytes generated(bool digit, std::uint64_t seed, std::size_t label, std::uint64_t index) {
  Bytes pixels(digit ? kDigitBytes : kShapeBytes);
  Random random(seed, 0, index);
  digit ? generate_digit(random, label, pixels) : generate_shape(random, label, pixels);
  return pixels;
}

std::string text(const Bytes& pixels) { return {pixels.begin(), pixels.end()}; }

// CRC-32 over two images of each label.
unsigned long checksum(bool digit) {
  unsigned long sum = crc32(0, nullptr, 0);
  for (std::size_t i = 0; i < 20; ++i) {
    const Bytes pixels = generated(digit, 3, i % 10, i);
    sum = crc32(sum, pixels.data(), static_cast<unsigned>(pixels.size()));
  }
  return sum;
}

}  // namespace

TEST_CASE("generated pixels are the same on every machine") {
  // A change here changes everybody's data: increase kGeneratorVersion with it.
  CHECK(checksum(true) == 0x894292B5);
  CHECK(checksum(false) == 0x46474713);
}

TEST_CASE("all generated images differ") {
  for (const bool digit : {true, false}) {
    std::set<std::string> seen;
    for (std::uint64_t index = 0; index < 50; ++index)
      seen.insert(text(generated(digit, 0, 3, index)));
    for (std::uint64_t seed = 1; seed < 50; ++seed) seen.insert(text(generated(digit, seed, 3, 0)));
    CHECK(seen.size() == 99);
  }
}

TEST_CASE("a digit is bright on a dark background") {
  for (std::size_t label = 0; label < 10; ++label) {
    std::size_t bright = 0;
    for (const std::uint8_t pixel : generated(true, 0, label, label)) bright += pixel > 128 ? 1 : 0;
    INFO(label);
    CHECK(bright > 20);
    CHECK(bright < 400);
  }
}

TEST_CASE("every shape has a name") {
  CHECK(std::set<std::string>(shape_names().begin(), shape_names().end()).size() == 10);
}

TEST_CASE("random numbers stay within their limits and cover them") {
  Random random(1, 2, 3);
  double sum = 0.0;
  double squares = 0.0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.uniform(2.0, 3.0);
    REQUIRE((value >= 2.0 && value < 3.0));
    REQUIRE(random.below(7) < 7);
    const auto [x, y] = random.direction();
    REQUIRE(x * x + y * y == Approx(1.0));
    const double bell = random.bell();
    sum += bell;
    squares += bell * bell;
  }
  CHECK(std::abs(sum / kDraws) < 0.03);
  CHECK(squares / kDraws == Approx(1.0).margin(0.03));
}
