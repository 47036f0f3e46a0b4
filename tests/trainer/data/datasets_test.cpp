#include "protocol/host/files.h"
#include "protocol/messages/data_catalog.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/data/checksums.h"
#include "trainer/data/dataset.h"
#include "trainer/data/generated.h"

using namespace ringside;
using namespace ringside::data;
using messages::DataSpec;

namespace {

DataSpec spec_of(const std::string& name, const TempFolder& root) {
  DataSpec spec;
  spec.name = name;
  spec.root = root.path();
  spec.train_samples = 30;
  spec.test_samples = 10;
  return spec;
}

Error datasets_error_of(const DataSpec& spec) {
  const auto set = load_datasets(spec);
  REQUIRE_FALSE(set);
  return set.error();
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("generated sets need only their name") {
  const TempFolder root;
  const auto digits = load_datasets(spec_of("digits", root));
  REQUIRE(digits);
  CHECK(digits->train.name == "digits");
  CHECK(digits->train.count == 30);
  CHECK(digits->test.count == 10);
  CHECK(digits->train.mean == std::vector<float>{0.1175F});
  const auto shapes = load_datasets(spec_of("shapes", root));
  REQUIRE(shapes);
  CHECK(shapes->train.channels == 3);
  CHECK(shapes->test.std.size() == 3);
}

TEST_CASE("files in torchvision's layout are found under the root") {
  const TempFolder root;
  const auto digits = ensure_generated({"digits", 30, 10, 0}, root.path());
  REQUIRE(digits);
  const auto shapes = ensure_generated({"shapes", 30, 10, 0}, root.path());
  REQUIRE(shapes);
  std::filesystem::rename(*digits / "MNIST", root.path() / "MNIST");
  std::filesystem::rename(*shapes / "cifar-10-batches-bin", root.path() / "cifar-10-batches-bin");
  const auto mnist = load_datasets(spec_of("mnist", root));
  REQUIRE(mnist);
  CHECK(mnist->train.mean == std::vector<float>{0.1307F});
  const auto cifar = load_datasets(spec_of("cifar10", root));
  REQUIRE(cifar);
  CHECK(cifar->train.mean.size() == 3);
  std::filesystem::create_directories(root.path() / "FashionMNIST");
  std::filesystem::rename(root.path() / "MNIST/raw", root.path() / "FashionMNIST/raw");
  CHECK(load_datasets(spec_of("fashion_mnist", root)));
}

TEST_CASE("a published set whose pixels changed since it was unpacked is refused") {
  const TempFolder root;
  const auto digits = ensure_generated({"digits", 30, 10, 0}, root.path());
  REQUIRE(digits);
  std::filesystem::rename(*digits / "MNIST", root.path() / "MNIST");
  const auto images = root.path() / "MNIST/raw/train-images-idx3-ubyte";
  REQUIRE(keep_checksums(*messages::find_data_set("mnist"), root.path()));
  REQUIRE(load_datasets(spec_of("mnist", root)));
  std::string bytes = read_text(images).value();
  for (std::size_t i = 16; i < bytes.size(); ++i) bytes[i] = static_cast<char>(~bytes[i]);
  REQUIRE(write_text_atomically(images, bytes));
  has(datasets_error_of(spec_of("mnist", root)).message, "train-images-idx3-ubyte has changed");
}

TEST_CASE("a missing set is reported with its path and alternatives") {
  const TempFolder root;
  const Error mnist = datasets_error_of(spec_of("mnist", root));
  has(mnist.message, (root.path() / "MNIST/raw").string());
  has(mnist.message, "data.root");
  std::filesystem::create_directories(root.path() / "cifar-10-batches-py");
  const Error cifar = datasets_error_of(spec_of("cifar10", root));
  has(cifar.message, "pickle");
  has(cifar.message, "ringside data get cifar10 --root " + root.path().string());
  has(cifar.message, "cifar-10-binary.tar.gz");
}

TEST_CASE("a missing file of a published set is reported with how to get it") {
  const TempFolder root;
  std::filesystem::create_directories(root.path() / "MNIST/raw");
  const Error error = datasets_error_of(spec_of("mnist", root));
  has(error.message, "train-images-idx3-ubyte");
  has(error.message, "ringside data get mnist");
}

TEST_CASE("mean and std of the spec replace the usual ones, one per channel") {
  const TempFolder root;
  DataSpec spec = spec_of("shapes", root);
  spec.mean = {0.5, 0.5, 0.5};
  spec.std = {0.5, 0.25, 0.125};
  const auto set = load_datasets(spec);
  REQUIRE(set);
  CHECK(set->train.mean == std::vector<float>{0.5F, 0.5F, 0.5F});
  CHECK(set->test.std == std::vector<float>{0.5F, 0.25F, 0.125F});
  spec.mean = {0.5};
  CHECK(datasets_error_of(spec).kind == ErrorKind::kRequest);
  spec.mean = {};
  spec.std = {0.5, 0.0, 0.5};
  CHECK(datasets_error_of(spec).kind == ErrorKind::kRequest);
}

TEST_CASE("every data set of the catalogue has a reader") {
  for (const auto& set : messages::data_sets()) {
    const TempFolder root;
    DataSpec spec = spec_of(set.name, root);
    spec.resize = set.source == messages::DataSource::kFolder ? 32 : 0;
    const auto pair = load_datasets(spec);
    INFO(set.name);
    if (!pair) has(pair.error().message, "data set \"" + set.name + "\" is not in ");
    CHECK(pair.has_value() == set.sized_by_spec());
    if (!pair) continue;
    CHECK(pair->train.name == set.name);
    CHECK(pair->train.count == 30);
    CHECK(pair->train.channels == set.channels);
    CHECK(pair->train.height == set.side);
    if (set.has_images()) CHECK(pair->train.classes == set.classes);
  }
}

TEST_CASE("an unknown data set is a bad request") {
  const TempFolder root;
  CHECK(datasets_error_of(spec_of("imagenet", root)).kind == ErrorKind::kRequest);
}

TEST_CASE("the spec's transforms are set for both halves and determine the sample size") {
  const TempFolder root;
  DataSpec spec = spec_of("shapes", root);
  spec.resize = 48;
  spec.crop = 40;
  spec.crop_padding = 4;
  spec.flip = true;
  const auto set = load_datasets(spec);
  REQUIRE(set);
  CHECK(set->train.height == 40);
  CHECK(set->test.width == 40);
  CHECK(set->train.stored == Size{32, 32});
  CHECK(set->train.transform.random_place);
  CHECK(set->train.transform.flip);
  CHECK_FALSE(set->test.transform.random_place);
  CHECK_FALSE(set->test.transform.flip);
  spec.crop = 60;
  CHECK(datasets_error_of(spec).kind == ErrorKind::kRequest);
}

TEST_CASE("the data set integers has numbers without images") {
  DataSpec spec;
  spec.name = "integers";
  spec.train_samples = 5;
  spec.test_samples = 2;
  const auto set = load_datasets(spec);
  REQUIRE(set);
  CHECK(set->train.count == 5);
  CHECK(set->train.labels == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  CHECK(set->test.count == 2);
  CHECK(set->train.images.empty());
}

TEST_CASE("CIFAR-100 is read from its own folder") {
  const TempFolder root;
  const std::string record = std::string("\0\x63", 2) + std::string(3072, 'x');
  root.write("cifar-100-binary/train.bin", record + record);
  root.write("cifar-100-binary/test.bin", record);
  const auto set = load_datasets(spec_of("cifar100", root));
  REQUIRE(set);
  CHECK(set->train.count == 2);
  CHECK(set->train.classes == 100);
  CHECK(set->test.labels.front() == 99);
  CHECK(set->train.mean.size() == 3);
}

TEST_CASE("a model needs a class for every label") {
  DatasetPair data;
  data.train.name = "cifar100";
  data.train.classes = 100;
  CHECK(check_classes(data, 100));
  CHECK(check_classes(data, 1000));
  const auto checked = check_classes(data, 10);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().kind == ErrorKind::kRequest);
  has(checked.error().message, "model.classes = 100");
}
