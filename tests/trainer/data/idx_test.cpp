#include "trainer/data/idx.h"

#include <zlib.h>

#include <random>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/data/file_bytes.h"

using namespace ringside;
using namespace ringside::data;
using Bytes = std::vector<std::uint8_t>;

namespace {

// Five images and labels for training, two for testing; pixel p of image i is i + p.
Bytes idx_images_of(std::size_t count) {
  Bytes images(count * 28 * 28);
  for (std::size_t i = 0; i < images.size(); ++i) {
    images[i] = static_cast<std::uint8_t>(i / 784 + i % 784);
  }
  return images;
}

void idx_write_small_set(const TempFolder& folder) {
  REQUIRE(write_mnist_half(folder.path(), "train", idx_images_of(5), Bytes{1, 2, 3, 9, 0}));
  REQUIRE(write_mnist_half(folder.path(), "t10k", idx_images_of(2), Bytes{4, 5}));
}

std::string text_of(const std::filesystem::path& path) {
  const auto bytes = read_bytes(path);
  REQUIRE(bytes);
  return {bytes->begin(), bytes->end()};
}

// Replaces the plain file by a compressed one, of which only the first `keep` bytes remain.
std::filesystem::path pack(const std::filesystem::path& plain, double keep = 1.0) {
  const std::string text = text_of(plain);
  const std::filesystem::path packed = plain.string() + ".gz";
  gzFile file = gzopen(packed.c_str(), "wb");
  REQUIRE(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) > 0);
  gzclose(file);
  std::filesystem::remove(plain);
  const auto size = static_cast<double>(std::filesystem::file_size(packed));
  std::filesystem::resize_file(packed, static_cast<std::uintmax_t>(size * keep));
  return packed;
}

std::string idx_error_of(const TempFolder& folder) {
  const auto set = read_mnist(folder.path());
  REQUIRE_FALSE(set);
  CHECK(set.error().kind == ErrorKind::kFailure);
  return set.error().message;
}

bool idx_has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

constexpr const char* kTrainImages = "train-images-idx3-ubyte";

}  // namespace

TEST_CASE("a written MNIST is read back") {
  const TempFolder folder;
  idx_write_small_set(folder);
  const auto set = read_mnist(folder.path());
  REQUIRE(set);
  CHECK(set->train.count == 5);
  CHECK(set->train.channels == 1);
  CHECK(set->train.height == 28);
  CHECK(set->train.width == 28);
  CHECK(set->train.classes == 10);
  CHECK(set->train.images == idx_images_of(5));
  CHECK(set->train.labels == std::vector<std::int64_t>{1, 2, 3, 9, 0});
  CHECK(set->test.labels == std::vector<std::int64_t>{4, 5});
}

TEST_CASE("the header has the published format") {
  const TempFolder folder;
  idx_write_small_set(folder);
  const std::string text = text_of(folder.path() / kTrainImages);
  CHECK(text.substr(0, 16) == std::string("\0\0\x08\x03\0\0\0\x05\0\0\0\x1c\0\0\0\x1c", 16));
  CHECK(text.size() == 16 + 5 * 784);
}

TEST_CASE("gzip-compressed IDX files are read like plain ones") {
  const TempFolder folder;
  idx_write_small_set(folder);
  pack(folder.path() / kTrainImages);
  pack(folder.path() / "train-labels-idx1-ubyte");
  const auto set = read_mnist(folder.path());
  REQUIRE(set);
  CHECK(set->train.images == idx_images_of(5));
}

TEST_CASE("a missing file is named") {
  const TempFolder folder;
  idx_write_small_set(folder);
  std::filesystem::remove(folder.path() / "t10k-labels-idx1-ubyte");
  idx_has(idx_error_of(folder), (folder.path() / "t10k-labels-idx1-ubyte").string());
}

TEST_CASE("a wrong magic number is refused with both numbers") {
  const TempFolder folder;
  idx_write_small_set(folder);
  const auto labels = text_of(folder.path() / "train-labels-idx1-ubyte");
  folder.write(kTrainImages, labels);
  const std::string message = idx_error_of(folder);
  idx_has(message, "0x00000803");
  idx_has(message, "0x00000801");
  idx_has(message, kTrainImages);
}

TEST_CASE("a file truncated anywhere is refused") {
  const TempFolder folder;
  idx_write_small_set(folder);
  const std::string whole = text_of(folder.path() / kTrainImages);
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{4}, std::size_t{15},
                                 std::size_t{16}, whole.size() - 1}) {
    INFO(size);
    folder.write(kTrainImages, whole.substr(0, size));
    idx_has(idx_error_of(folder), kTrainImages);
  }
  folder.write(kTrainImages, whole + "x");
  const std::string longer = idx_error_of(folder);
  idx_has(longer, "5 x 28 x 28");
  idx_has(longer, "3921 bytes");
}

TEST_CASE("sizes that overflow are refused") {
  const TempFolder folder;
  idx_write_small_set(folder);
  std::string text = text_of(folder.path() / kTrainImages);
  for (const std::size_t at : {4U, 8U, 12U}) text.replace(at, 4, "\xff\xff\xff\xff");
  folder.write(kTrainImages, text);
  idx_has(idx_error_of(folder), "4294967295");
}

TEST_CASE("images of another size are refused") {
  const TempFolder folder;
  idx_write_small_set(folder);
  REQUIRE(write_idx(folder.path() / kTrainImages, std::vector<std::uint32_t>{5, 14, 56},
                    idx_images_of(5)));
  idx_has(idx_error_of(folder), "14 x 56");
}

TEST_CASE("the number of labels must be that of the images, and all must be digits") {
  const TempFolder folder;
  idx_write_small_set(folder);
  const auto labels = folder.path() / "train-labels-idx1-ubyte";
  REQUIRE(write_idx(labels, std::vector<std::uint32_t>{4}, Bytes{1, 2, 3, 4}));
  idx_has(idx_error_of(folder), "5 labels");
  REQUIRE(write_idx(labels, std::vector<std::uint32_t>{5}, Bytes{1, 2, 3, 4, 10}));
  idx_has(idx_error_of(folder), "found 10");
}

TEST_CASE("an empty set is refused") {
  const TempFolder folder;
  idx_write_small_set(folder);
  REQUIRE(write_mnist_half(folder.path(), "t10k", {}, {}));
  idx_has(idx_error_of(folder), "no images");
}

TEST_CASE("gzip files that are truncated, changed or not compressed are refused") {
  const TempFolder folder;
  idx_write_small_set(folder);
  const auto plain = folder.path() / kTrainImages;
  const std::string whole = text_of(plain);

  pack(plain, 0.6);
  idx_has(idx_error_of(folder), "damaged gzip");

  folder.write(kTrainImages, whole);
  const auto packed = pack(plain);
  std::string bytes = [&] {
    std::ifstream file(packed, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);  // in the checksum
  folder.write(packed.filename(), bytes);
  idx_has(idx_error_of(folder), "damaged gzip");

  folder.write(packed.filename(), whole);
  idx_has(idx_error_of(folder), "not in gzip format");
}

TEST_CASE("a file above the limit is not read") {
  const TempFolder folder;
  idx_write_small_set(folder);
  CHECK_FALSE(read_bytes(folder.path() / kTrainImages, 100));
  const auto packed = pack(folder.path() / kTrainImages);
  CHECK_FALSE(read_bytes(packed, 100));
  CHECK(read_bytes(packed));
}

TEST_CASE("with any flipped bits the reader refuses the set or returns a complete one") {
  const TempFolder folder;
  idx_write_small_set(folder);
  const std::string whole = text_of(folder.path() / kTrainImages);
  pack(folder.path() / "train-labels-idx1-ubyte");
  const std::string packed_name = "train-labels-idx1-ubyte.gz";
  std::ifstream packed_file(folder.path() / packed_name, std::ios::binary);
  const std::string packed(std::istreambuf_iterator<char>(packed_file), {});
  std::mt19937 random(1);
  const auto flipped = [&](std::string text, std::size_t below) {
    char& byte = text[random() % below];
    byte = static_cast<char>(byte ^ (1 << random() % 8));
    return text;
  };
  std::size_t refused = 0;
  for (int round = 0; round < 400; ++round) {
    folder.write(kTrainImages, round % 2 == 0 ? flipped(whole, 20) : whole);
    folder.write(packed_name, round % 2 == 1 ? flipped(packed, packed.size()) : packed);
    const auto set = read_mnist(folder.path());
    refused += set ? 0U : 1U;
    if (set) REQUIRE((set->train.images.size() == 5 * 784 && set->train.labels.size() == 5));
  }
  CHECK(refused > 200);
}
