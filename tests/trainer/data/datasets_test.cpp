#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
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

Error error_of(const DataSpec& spec) {
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

TEST_CASE("generated sets come from their name alone") {
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

TEST_CASE("a set that is not there says where it was sought and what else to do") {
  const TempFolder root;
  const Error mnist = error_of(spec_of("mnist", root));
  has(mnist.message, (root.path() / "MNIST/raw").string());
  has(mnist.message, "data.root");
  std::filesystem::create_directories(root.path() / "cifar-10-batches-py");
  has(error_of(spec_of("cifar10", root)).message, "binary version");
}

TEST_CASE("the spec's mean and std replace the usual ones, one per channel") {
  const TempFolder root;
  DataSpec spec = spec_of("shapes", root);
  spec.mean = {0.5, 0.5, 0.5};
  spec.std = {0.5, 0.25, 0.125};
  const auto set = load_datasets(spec);
  REQUIRE(set);
  CHECK(set->train.mean == std::vector<float>{0.5F, 0.5F, 0.5F});
  CHECK(set->test.std == std::vector<float>{0.5F, 0.25F, 0.125F});
  spec.mean = {0.5};
  CHECK(error_of(spec).kind == ErrorKind::kRequest);
  spec.mean = {};
  spec.std = {0.5, 0.0, 0.5};
  CHECK(error_of(spec).kind == ErrorKind::kRequest);
}

TEST_CASE("an unknown data set is a bad request") {
  const TempFolder root;
  CHECK(error_of(spec_of("imagenet", root)).kind == ErrorKind::kRequest);
}
