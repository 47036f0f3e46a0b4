#include "trainer/data/picture_decoder.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/data/sample_pictures.h"

using namespace ringside;
using namespace ringside::data;
using testing::SamplePicture;

namespace {

std::string text_of(const SamplePicture& picture) {
  const auto bytes = testing::bytes_of(picture);
  return {bytes.begin(), bytes.end()};
}

std::string error_of(const TempFolder& folder, const std::string& name) {
  const auto picture = decode_picture(folder.path() / name);
  REQUIRE_FALSE(picture);
  INFO(picture.error().message);
  CHECK(picture.error().message.find(name) != std::string::npos);
  return picture.error().message;
}

}  // namespace

TEST_CASE("every kind of JPEG and PNG becomes the RGB that Pillow makes of it") {
  const TempFolder folder;
  for (const SamplePicture& sample : testing::sample_pictures()) {
    INFO(sample.name);
    folder.write("picture", text_of(sample));
    const auto picture = decode_picture(folder.path() / "picture");
    if (!picture) FAIL(picture.error().message);
    CHECK(picture->size == Size{6, 8});
    CHECK(testing::hash_of(picture->planes) == sample.planes_hash);
  }
}

TEST_CASE("a picture cut anywhere is an error that names the file") {
  const TempFolder folder;
  for (const SamplePicture& sample : testing::sample_pictures()) {
    INFO(sample.name);
    const std::string whole = text_of(sample);
    // A JPEG is whole without its two last bytes, the end mark; a PNG without the 12 of its last
    // part is not.
    for (std::size_t length = 0; length + 3 < whole.size(); length += 7) {
      folder.write("cut.jpg", whole.substr(0, length));
      error_of(folder, "cut.jpg");
    }
  }
}

TEST_CASE("odd bytes between the parts of a JPEG do no harm, as in Pillow") {
  const auto& sample = testing::sample_pictures()[0];
  auto bytes = testing::bytes_of(sample);
  const std::vector<std::uint8_t> odd{0, 0, 0};
  bytes.insert(bytes.begin() + 20, odd.begin(), odd.end());  // after the JFIF part
  const auto picture = decode_jpeg(bytes);
  if (!picture) FAIL(picture.error().message);
  CHECK(testing::hash_of(picture->planes) == sample.planes_hash);
}

TEST_CASE("flipped bits in pictures never crash the decoder") {
  const TempFolder folder;
  int refused = 0;
  for (const SamplePicture& sample : testing::sample_pictures()) {
    const auto whole = testing::bytes_of(sample);
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      auto bytes = whole;
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
      const bool png = std::string(sample.name).starts_with("png");
      const auto picture = png ? decode_png(bytes) : decode_jpeg(bytes);
      if (!picture) ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("what is no picture says so") {
  const TempFolder folder;
  folder.write("text.png", "hello, this is text");
  CHECK(error_of(folder, "text.png").find("neither JPEG nor PNG") != std::string::npos);
  folder.write("empty.jpg", "");
  CHECK(error_of(folder, "empty.jpg").find("empty") != std::string::npos);
  CHECK(error_of(folder, "missing.jpg").find("missing.jpg") != std::string::npos);
}

TEST_CASE("a picture too large to be honest is refused before memory is taken") {
  auto png = testing::bytes_of(testing::sample_pictures()[3]);
  // 50,000 x 50,000, with the checksum of that header.
  const std::vector<std::uint8_t> side{0, 0, 0xc3, 0x50, 0, 0, 0xc3, 0x50};
  const std::vector<std::uint8_t> checksum{0xc4, 0xcd, 0xaa, 0x9d};
  std::copy(side.begin(), side.end(), png.begin() + 16);
  std::copy(checksum.begin(), checksum.end(), png.begin() + 29);
  const auto picture = decode_png(png);
  REQUIRE_FALSE(picture);
  CHECK(picture.error().message.find("50000 x 50000") != std::string::npos);
  CHECK_FALSE(check_picture_size(100'000, 100'000));
  CHECK_FALSE(check_picture_size(0, 5));
  CHECK(check_picture_size(10'000, 10'000));
}
