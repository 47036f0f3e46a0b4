#include "trainer/data/image_decoder.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/data/sample_images.h"

using namespace ringside;
using namespace ringside::data;
using testing::SampleImage;

namespace {

std::string image_decoder_text_of(const SampleImage& image) {
  const auto bytes = testing::bytes_of(image);
  return {bytes.begin(), bytes.end()};
}

std::string image_decoder_error_of(const TempFolder& folder, const std::string& name) {
  const auto image = decode_image(folder.path() / name);
  REQUIRE_FALSE(image);
  INFO(image.error().message);
  CHECK(image.error().message.find(name) != std::string::npos);
  return image.error().message;
}

}  // namespace

TEST_CASE("every kind of JPEG and PNG is decoded to the same RGB as by Pillow") {
  const TempFolder folder;
  for (const SampleImage& sample : testing::sample_images()) {
    INFO(sample.name);
    folder.write("image", image_decoder_text_of(sample));
    const auto image = decode_image(folder.path() / "image");
    if (!image) FAIL(image.error().message);
    CHECK(image->size == Size{6, 8});
    CHECK(testing::hash_of(image->planes) == sample.planes_hash);
  }
}

TEST_CASE("an image truncated anywhere is an error that names the file") {
  const TempFolder folder;
  for (const SampleImage& sample : testing::sample_images()) {
    INFO(sample.name);
    const std::string whole = image_decoder_text_of(sample);
    // A JPEG is complete without its last two bytes, the end marker; a PNG is not without the 12
    // bytes of its last chunk.
    for (std::size_t length = 0; length + 3 < whole.size(); length += 7) {
      folder.write("cut.jpg", whole.substr(0, length));
      image_decoder_error_of(folder, "cut.jpg");
    }
  }
}

TEST_CASE("extra bytes between the segments of a JPEG are ignored, as in Pillow") {
  const auto& sample = testing::sample_images()[0];
  auto bytes = testing::bytes_of(sample);
  const std::vector<std::uint8_t> odd{0, 0, 0};
  bytes.insert(bytes.begin() + 20, odd.begin(), odd.end());  // after the JFIF segment
  const auto image = decode_jpeg(bytes);
  if (!image) FAIL(image.error().message);
  CHECK(testing::hash_of(image->planes) == sample.planes_hash);
}

TEST_CASE("flipped bits in images never crash the decoder") {
  const TempFolder folder;
  int refused = 0;
  for (const SampleImage& sample : testing::sample_images()) {
    const auto whole = testing::bytes_of(sample);
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      auto bytes = whole;
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
      const bool png = std::string(sample.name).starts_with("png");
      const auto image = png ? decode_png(bytes) : decode_jpeg(bytes);
      if (!image) ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("a file that is not an image is refused") {
  const TempFolder folder;
  folder.write("text.png", "hello, this is text");
  CHECK(image_decoder_error_of(folder, "text.png").find("neither JPEG nor PNG") !=
        std::string::npos);
  folder.write("empty.jpg", "");
  CHECK(image_decoder_error_of(folder, "empty.jpg").find("empty") != std::string::npos);
  CHECK(image_decoder_error_of(folder, "missing.jpg").find("missing.jpg") != std::string::npos);
}

TEST_CASE("an excessively large image is refused before memory is allocated") {
  auto png = testing::bytes_of(testing::sample_images()[3]);
  // 50,000 x 50,000, with the checksum of that header.
  const std::vector<std::uint8_t> side{0, 0, 0xc3, 0x50, 0, 0, 0xc3, 0x50};
  const std::vector<std::uint8_t> checksum{0xc4, 0xcd, 0xaa, 0x9d};
  std::copy(side.begin(), side.end(), png.begin() + 16);
  std::copy(checksum.begin(), checksum.end(), png.begin() + 29);
  const auto image = decode_png(png);
  REQUIRE_FALSE(image);
  CHECK(image.error().message.find("50000 x 50000") != std::string::npos);
  CHECK_FALSE(check_image_size(100'000, 100'000));
  CHECK_FALSE(check_image_size(0, 5));
  CHECK(check_image_size(10'000, 10'000));
}
