#include "trainer/data/cifar.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/data/tar_file.h"
#include "trainer/data/file_bytes.h"

using namespace ringside;
using namespace ringside::data;
using Bytes = std::vector<std::uint8_t>;

namespace {

Bytes images_of(std::size_t count, std::size_t first) {
  Bytes images(count * kCifarImageBytes);
  for (std::size_t i = 0; i < images.size(); ++i) {
    images[i] = static_cast<std::uint8_t>(first + i / kCifarImageBytes + i % 7);
  }
  return images;
}

const Bytes kTrainLabels{0, 1, 2, 3, 4, 5, 6, 7};

void write_small_set(const TempFolder& folder) {
  REQUIRE(write_cifar10(folder.path(), images_of(8, 0), kTrainLabels, images_of(3, 90),
                        Bytes{9, 8, 7}, std::vector<std::string>{"a", "b"}));
}

std::string error_of(const TempFolder& folder) {
  const auto set = read_cifar(cifar10_format(), folder.path());
  REQUIRE_FALSE(set);
  return set.error().message;
}

}  // namespace

TEST_CASE("a written CIFAR-10 is read back in order") {
  const TempFolder folder;
  write_small_set(folder);
  const auto set = read_cifar(cifar10_format(), folder.path());
  REQUIRE(set);
  CHECK(set->train.count == 8);
  CHECK(set->train.channels == 3);
  CHECK(set->train.height == 32);
  CHECK(set->train.width == 32);
  CHECK(set->train.images == images_of(8, 0));
  CHECK(set->train.labels == std::vector<std::int64_t>(kTrainLabels.begin(), kTrainLabels.end()));
  CHECK(set->test.images == images_of(3, 90));
  CHECK(set->test.labels == std::vector<std::int64_t>{9, 8, 7});
}

TEST_CASE("a record is a label and 3,072 bytes, and five files share the images") {
  const TempFolder folder;
  write_small_set(folder);
  CHECK(std::filesystem::file_size(folder.path() / "data_batch_1.bin") == 3073);
  CHECK(std::filesystem::file_size(folder.path() / "data_batch_5.bin") == 2 * 3073);
  const auto bytes = read_bytes(folder.path() / "data_batch_5.bin");
  REQUIRE(bytes);
  CHECK(bytes->front() == 6);
  CHECK(bytes->at(3073) == 7);
  const auto names = read_bytes(folder.path() / "batches.meta.txt");
  REQUIRE(names);
  CHECK(std::string(names->begin(), names->end()) == "a\nb\n");
}

TEST_CASE("any number of images is divided among five files") {
  CHECK(cifar_train_begin(50'000, 1) == 10'000);
  CHECK(cifar_train_begin(50'000, 5) == 50'000);
  CHECK(cifar_train_begin(3, 5) == 3);
}

TEST_CASE("a truncated CIFAR file is refused with name and length") {
  const TempFolder folder;
  write_small_set(folder);
  std::filesystem::resize_file(folder.path() / "data_batch_5.bin", 6000);
  const std::string message = error_of(folder);
  CHECK(message.find("data_batch_5.bin") != std::string::npos);
  CHECK(message.find("3073") != std::string::npos);
  CHECK(message.find("6000") != std::string::npos);
}

TEST_CASE("a label above 9 is refused with its record") {
  const TempFolder folder;
  write_small_set(folder);
  auto bytes = read_bytes(folder.path() / "data_batch_5.bin");
  REQUIRE(bytes);
  (*bytes)[3073] = 10;
  REQUIRE(write_bytes(folder.path() / "data_batch_5.bin", {*bytes}));
  CHECK(error_of(folder).find("record 1: expected 0 to 9, found 10") != std::string::npos);
}

TEST_CASE("a missing CIFAR file is named") {
  const TempFolder folder;
  write_small_set(folder);
  std::filesystem::remove(folder.path() / "data_batch_3.bin");
  CHECK(error_of(folder).find("data_batch_3.bin") != std::string::npos);
}

TEST_CASE("a CIFAR folder without a test image is refused") {
  const TempFolder folder;
  write_small_set(folder);
  std::filesystem::resize_file(folder.path() / "test_batch.bin", 0);
  CHECK(error_of(folder).find("found 8 and 0") != std::string::npos);
}

TEST_CASE("a CIFAR-100 record is a coarse label, a fine one and the image") {
  const TempFolder folder;
  Bytes records;
  for (std::uint8_t i = 0; i < 3; ++i) {
    records.push_back(19);
    records.push_back(static_cast<std::uint8_t>(97 + i));
    records.insert(records.end(), kCifarImageBytes, i);
  }
  REQUIRE(write_bytes(folder.path() / "train.bin", {records}));
  REQUIRE(write_bytes(folder.path() / "test.bin", {std::span(records).first(2 * 3074)}));
  const auto set = read_cifar(cifar100_format(), folder.path());
  if (!set) FAIL(set.error().message);
  CHECK(set->train.classes == 100);
  CHECK(set->train.labels == std::vector<std::int64_t>{97, 98, 99});
  CHECK(set->test.count == 2);
  CHECK(set->train.images[2 * kCifarImageBytes] == 2);
  records[1] = 100;
  REQUIRE(write_bytes(folder.path() / "train.bin", {records}));
  const auto wrong = read_cifar(cifar100_format(), folder.path());
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message.find("expected 0 to 99, found 100") != std::string::npos);
}

TEST_CASE("the published archives have the published sizes") {
  std::uint64_t sum = 0;
  for (const auto& member : cifar10_format().members) sum += member.size_bytes;
  CHECK(sum == 6 * 30'730'000);
  CHECK(cifar100_format().members[0].size_bytes == 153'700'000);
  CHECK(cifar100_format().members[1].size_bytes == 30'740'000);
}

TEST_CASE("CIFAR is read from its archive with files in any order") {
  const TempFolder folder;
  const CifarFormat& format = cifar100_format();
  const std::string record = std::string("\x01\x02", 2) + std::string(kCifarImageBytes, 'p');
  testing::write_tar_gz(folder.path() / "c.tar.gz",
                        {{"cifar-100-binary/test.bin", '0', record},
                         {"cifar-100-binary/train.bin", '0', record + record}});
  const std::vector<ArchiveMember> members{{"cifar-100-binary/train.bin", 2 * 3074},
                                           {"cifar-100-binary/test.bin", 3074}};
  const auto set = read_cifar_archive(format, folder.path() / "c.tar.gz", members);
  if (!set) FAIL(set.error().message);
  CHECK(set->train.labels == std::vector<std::int64_t>{2, 2});
  CHECK(set->test.images[0] == 'p');
  // A published archive must have the published sizes.
  CHECK_FALSE(read_cifar_archive(format, folder.path() / "c.tar.gz", format.members));
}
