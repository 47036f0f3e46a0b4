#include <filesystem>
#include <new>
#include <string>

#include "trainer/data/cifar.h"
#include "trainer/data/dataset.h"
#include "trainer/data/generated.h"
#include "trainer/data/idx.h"

namespace ringside::data {
namespace {

namespace fs = std::filesystem;

/// What is known about a set beyond its files.
struct Known {
  const char* name;
  const char* folder;  ///< under the root
  bool is_cifar;
  std::vector<float> mean;
  std::vector<float> std;
};

const std::vector<Known>& known_sets() {
  // MNIST, FashionMNIST and CIFAR-10: the values in common use. Generated ones: measured over seed
  // 0.
  static const std::vector<Known> kSets{
      {"digits", "MNIST/raw", false, {0.1175F}, {0.2452F}},
      {"shapes",
       "cifar-10-batches-bin",
       true,
       {0.4960F, 0.4972F, 0.4995F},
       {0.2100F, 0.2096F, 0.2102F}},
      {"mnist", "MNIST/raw", false, {0.1307F}, {0.3081F}},
      {"fashion_mnist", "FashionMNIST/raw", false, {0.2860F}, {0.3530F}},
      {"cifar10",
       "cifar-10-batches-bin",
       true,
       {0.49139968F, 0.48215827F, 0.44653124F},
       {0.24703233F, 0.24348505F, 0.26158768F}}};
  return kSets;
}

Result<fs::path> folder_of(const messages::DataSpec& spec, const Known& known) {
  if (spec.name == "digits" || spec.name == "shapes") {
    const auto root =
        ensure_generated({spec.name, spec.train_samples, spec.test_samples, spec.seed}, spec.root);
    if (!root) return pass(root);
    return *root / known.folder;
  }
  const fs::path root = spec.root.empty() ? default_data_root() : fs::path(spec.root);
  std::error_code ignored;
  if (fs::is_directory(root / known.folder, ignored)) return root / known.folder;
  std::string message = "data set \"" + spec.name + "\" is not in " + root.string() +
                        ": expected the folder " + (root / known.folder).string();
  if (known.is_cifar && fs::exists(root / "cifar-10-batches-py", ignored)) {
    message +=
        "; cifar-10-batches-py is the Python version, which is not read: fetch the binary version";
  }
  return failure(message + "; put it there, set data.root, or use a generated set (" +
                 (known.is_cifar ? "shapes" : "digits") + ")");
}

Result<DatasetPair> read_set(const fs::path& folder, bool is_cifar) {
  try {
    return is_cifar ? read_cifar10(folder) : read_mnist(folder);
  } catch (const std::bad_alloc&) {
    return failure("not enough memory for the data set in " + folder.string());
  }
}

Result<std::vector<float>> per_channel(const std::vector<double>& asked, const char* key,
                                       const std::vector<float>& usual) {
  if (asked.empty()) return usual;
  if (asked.size() != usual.size()) {
    return bad_request(std::string(key) + " needs " + std::to_string(usual.size()) +
                       " numbers, one per channel, not " + std::to_string(asked.size()));
  }
  return std::vector<float>(asked.begin(), asked.end());
}

}  // namespace

Result<DatasetPair> load_datasets(const messages::DataSpec& spec) {
  const Known* known = nullptr;
  for (const Known& set : known_sets()) {
    if (spec.name == set.name) known = &set;
  }
  if (known == nullptr) {
    return bad_request("unknown data set \"" + spec.name +
                       "\"; known: digits, shapes, mnist, fashion_mnist, cifar10");
  }
  const auto mean = per_channel(spec.mean, "data.mean", known->mean);
  if (!mean) return pass(mean);
  const auto std = per_channel(spec.std, "data.std", known->std);
  if (!std) return pass(std);
  for (const float value : *std) {
    if (!(value > 0.0F)) return bad_request("data.std must be above 0 in every channel");
  }
  const auto folder = folder_of(spec, *known);
  if (!folder) return pass(folder);
  auto pair = read_set(*folder, known->is_cifar);
  if (!pair) return pass(pair);
  for (Dataset* half : {&pair->train, &pair->test}) {
    half->name = spec.name;
    half->mean = *mean;
    half->std = *std;
  }
  return pair;
}

}  // namespace ringside::data
