#include "trainer/data/image_folder.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/data/sample_images.h"
#include "trainer/data/image_files.h"
#include "trainer/data/loader.h"
#include "trainer/data/resize.h"

using namespace ringside;
using namespace ringside::data;

namespace {

std::string image_text(std::size_t number) {
  const auto bytes = testing::bytes_of(testing::sample_images().at(number));
  return {bytes.begin(), bytes.end()};
}

constexpr std::size_t kJpeg = 0;
constexpr std::size_t kPng = 3;

void write_set(const TempFolder& root) {
  root.write("train/cat/2.JPG", image_text(kJpeg));
  root.write("train/cat/1.png", image_text(kPng));
  root.write("train/cat/inner/0.jpeg", image_text(kJpeg));
  root.write("train/cat/notes.txt", "not an image");
  root.write("train/Dog/a.png", image_text(kPng));
  root.write("test/cat/1.png", image_text(kPng));
  root.write("test/Dog/1.png", image_text(kPng));
}

messages::DataSpec image_folder_spec_of(const TempFolder& root, std::int64_t resize = 6) {
  messages::DataSpec spec;
  spec.name = "image_folder";
  spec.root = root.path();
  spec.resize = resize;
  return spec;
}

DatasetPair load(const messages::DataSpec& spec) {
  auto pair = load_datasets(spec);
  if (!pair) FAIL(pair.error().message);
  return std::move(*pair);
}

std::string image_folder_error_of(const messages::DataSpec& spec) {
  const auto pair = load_datasets(spec);
  REQUIRE_FALSE(pair);
  return pair.error().message;
}

Loader loader_of(const Dataset& set, std::int64_t workers) {
  LoaderOptions options;
  options.batch_size = 2;
  options.workers = workers;
  auto loader = Loader::create(set, options);
  if (!loader) FAIL(loader.error().message);
  return std::move(*loader);
}

}  // namespace

TEST_CASE("the classes are the folders of train by name") {
  const TempFolder root;
  write_set(root);
  const DatasetPair pair = load(image_folder_spec_of(root));
  CHECK(pair.train.classes == 2);
  // "Dog" sorts before "cat"; within a class, a folder's own files come before those below it.
  CHECK(pair.train.labels == std::vector<std::int64_t>{0, 1, 1, 1});
  CHECK(pair.test.labels == std::vector<std::int64_t>{0, 1});
  CHECK(pair.train.channels == 3);
  CHECK(pair.train.height == 6);
  CHECK(pair.train.width == 6);
  CHECK(pair.train.mean.size() == 3);
  CHECK(pair.train.images.empty());
}

TEST_CASE("images are decoded, resized and cropped by their transforms") {
  const TempFolder root;
  write_set(root);
  const DatasetPair pair = load(image_folder_spec_of(root, 3));
  Loader loader = loader_of(pair.train, 1);
  REQUIRE(loader.start(std::vector<std::uint32_t>{0, 1}));
  const Batch* batch = loader.next();
  REQUIRE(batch != nullptr);
  const auto image = pair.train.files->image(0);
  REQUIRE(image);
  // 8 x 6 becomes 4 x 3; the center crop of 3 of the 4 columns begins at the first.
  CHECK(image->pixels.size == Size{3, 4});
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t y = 0; y < 3; ++y) {
      for (std::size_t x = 0; x < 3; ++x) {
        const float pixel = image->pixels.planes[c * 12 + y * 4 + x];
        CHECK(batch->images[c * 9 + y * 3 + x] ==
              (pixel / 255.0F - pair.train.mean[c]) / pair.train.std[c]);
      }
    }
  }
}

TEST_CASE("the folder val is used if there is no test") {
  const TempFolder root;
  write_set(root);
  std::filesystem::rename(root.path() / "test", root.path() / "val");
  CHECK(load(image_folder_spec_of(root)).test.count == 2);
}

TEST_CASE("an image folder without data.resize is a bad request with the reason") {
  const TempFolder root;
  write_set(root);
  const auto pair = load_datasets(image_folder_spec_of(root, 0));
  REQUIRE_FALSE(pair);
  CHECK(pair.error().kind == ErrorKind::kRequest);
  CHECK(pair.error().message.find("data.resize") != std::string::npos);
}

TEST_CASE("a crop larger than the resized images is a bad request") {
  const TempFolder root;
  write_set(root);
  auto spec = image_folder_spec_of(root, 6);
  spec.crop = 7;
  CHECK(image_folder_error_of(spec).find("data.crop = 7") != std::string::npos);
  spec.crop_padding = 1;
  CHECK(load(spec).train.height == 7);
}

TEST_CASE("a problem of an image folder names the file or folder") {
  const TempFolder root;
  CHECK(image_folder_error_of(image_folder_spec_of(root)).find("train and test") !=
        std::string::npos);
  write_set(root);
  std::filesystem::create_directories(root.path() / "train/empty");
  std::filesystem::create_directories(root.path() / "test/empty");
  CHECK(image_folder_error_of(image_folder_spec_of(root)).find("train/empty: expected .jpg") !=
        std::string::npos);
  std::filesystem::remove(root.path() / "train/empty");
  CHECK(
      image_folder_error_of(image_folder_spec_of(root)).find("a class that train does not have") !=
      std::string::npos);
  std::filesystem::remove(root.path() / "test/empty");
  std::filesystem::rename(root.path() / "test/cat", root.path() / "cat");
  CHECK(image_folder_error_of(image_folder_spec_of(root)).find("test/cat: expected this folder") !=
        std::string::npos);
  std::filesystem::rename(root.path() / "cat", root.path() / "test/cat");
  root.write("train/cat/old.bmp", "BM");
  CHECK(image_folder_error_of(image_folder_spec_of(root)).find("old.bmp") != std::string::npos);
}

TEST_CASE("a corrupt image ends the epoch with an error that names it") {
  const TempFolder root;
  write_set(root);
  root.write("train/cat/1.png", image_text(kPng).substr(0, 100));
  const DatasetPair pair = load(image_folder_spec_of(root));
  for (const std::int64_t workers : {0, 1, 3}) {
    INFO(workers);
    Loader loader = loader_of(pair.train, workers);
    REQUIRE(loader.start(std::vector<std::uint32_t>{0, 2, 1, 3, 0, 2}));
    CHECK(loader.next() != nullptr);
    CHECK_FALSE(loader.error());
    CHECK(loader.next() == nullptr);
    REQUIRE(loader.error());
    CHECK(loader.error()->message.find("1.png") != std::string::npos);
    CHECK(loader.next() == nullptr);
    // The next epoch begins without an error.
    REQUIRE(loader.start(std::vector<std::uint32_t>{0, 2}));
    CHECK(loader.next() != nullptr);
    CHECK_FALSE(loader.error());
  }
}

TEST_CASE("an image decoded by one rank is available to all ranks of the host") {
  const TempFolder root;
  write_set(root);
  const std::vector<std::filesystem::path> paths{root.path() / "train/cat/1.png",
                                                 root.path() / "train/cat/2.JPG",
                                                 root.path() / "train/Dog/a.png"};
  constexpr std::size_t kImage = 16 + 3 * 6 * 8;
  const auto file = root.path() / "images";
  const ImageFiles alone(paths, 6, 0);
  const ImageFiles first(paths, 6, 0);
  const ImageFiles second(paths, 6, 0);
  REQUIRE(first.share(file, 2 * kImage));
  REQUIRE(second.share(file, 1));  // the first process determines its size
  CHECK(ImageFiles(paths, 7, 0).share(file, 2 * kImage).error().message.find("each rank decodes") !=
        std::string::npos);
  std::filesystem::remove(file);  // as the ranks do when all have opened it
  std::vector<std::vector<std::uint8_t>> expected;
  const auto pixels = [](const ImageFiles::Decoded& image) {
    const auto& [size, planes] = image.pixels;
    return std::vector<std::uint8_t>(planes, planes + 3 * size.height * size.width);
  };
  for (std::size_t i = 0; i < paths.size(); ++i) {
    expected.push_back(pixels(*alone.image(i)));
    CHECK(pixels(*first.image(i)) == expected[i]);
    std::filesystem::remove(paths[i]);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(pixels(*second.image(i)) == expected[i]);
    CHECK(pixels(*first.image(i)) == expected[i]);
  }
  CHECK_FALSE(second.image(2));  // there was no room for it
}

TEST_CASE("decoded images are cached up to the limit") {
  const TempFolder root;
  write_set(root);
  const std::vector<std::filesystem::path> paths{root.path() / "train/cat/1.png",
                                                 root.path() / "train/cat/2.JPG",
                                                 root.path() / "train/Dog/a.png"};
  constexpr std::size_t kImage = 3 * 6 * 8;
  const ImageFiles files(paths, 6, 2 * kImage + 10);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < paths.size(); ++i) REQUIRE(files.image(i));
  }
  CHECK(files.cached_bytes() == 2 * kImage);
  std::filesystem::remove(paths[0]);
  CHECK(files.image(0));
  std::filesystem::remove(paths[2]);
  CHECK_FALSE(files.image(2));
}
