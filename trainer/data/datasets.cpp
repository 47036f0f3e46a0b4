#include <filesystem>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "protocol/base/user_folders.h"
#include "trainer/data/cifar.h"
#include "trainer/data/dataset.h"
#include "trainer/data/generated.h"
#include "trainer/data/idx.h"
#include "trainer/data/image_folder.h"

namespace ringside::data {
namespace {

namespace fs = std::filesystem;

/// What is known about a set beyond its files.
struct Known {
  const char* name;
  const char* folder;         ///< under the root
  const CifarFormat* format;  ///< nullptr: IDX files
  std::vector<float> mean;
  std::vector<float> std;
};

const std::vector<Known>& known_sets() {
  // The published sets: the values in common use. Generated ones: measured over seed 0.
  static const std::vector<Known> kSets{
      {"digits", "MNIST/raw", nullptr, {0.1175F}, {0.2452F}},
      {"shapes",
       "cifar-10-batches-bin",
       &cifar10_format(),
       {0.4960F, 0.4972F, 0.4995F},
       {0.2100F, 0.2096F, 0.2102F}},
      {"mnist", "MNIST/raw", nullptr, {0.1307F}, {0.3081F}},
      {"fashion_mnist", "FashionMNIST/raw", nullptr, {0.2860F}, {0.3530F}},
      {"cifar10",
       "cifar-10-batches-bin",
       &cifar10_format(),
       {0.49139968F, 0.48215827F, 0.44653124F},
       {0.24703233F, 0.24348505F, 0.26158768F}},
      {"cifar100",
       "cifar-100-binary",
       &cifar100_format(),
       {0.5071F, 0.4865F, 0.4409F},
       {0.2673F, 0.2564F, 0.2762F}},
      {"image_folder", "", nullptr, {0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}}};
  return kSets;
}

bool is_published(const Known& known) {
  const std::string name = known.name;
  return name != "digits" && name != "shapes" && name != "image_folder";
}

tl::unexpected<Error> with_hint(Error error, const messages::DataSpec& spec) {
  error.message += "; `ringside data get " + spec.name +
                   (spec.root.empty() ? "" : " --root " + spec.root) +
                   "` fetches what is missing or of the wrong size";
  return tl::unexpected<Error>(std::move(error));
}

Result<DatasetPair> not_there(const std::string& name, const Known& known, const fs::path& root) {
  std::string message = "data set \"" + name + "\" is not in " + root.string() +
                        ": expected the folder " + (root / known.folder).string();
  if (known.format != nullptr) message += " or the archive " + known.format->archive;
  std::error_code ignored;
  const bool of_python = fs::exists(root / "cifar-10-batches-py", ignored) ||
                         fs::exists(root / "cifar-100-python", ignored);
  if (known.format != nullptr && of_python) {
    message += "; the Python version beside it is a pickle, which can run code and is not read";
  }
  return failure(message + "; set data.root, or use a generated set (" +
                 (known.format != nullptr ? "shapes" : "digits") + ")");
}

Result<DatasetPair> read_files(const messages::DataSpec& spec, const Known& known) {
  const auto chosen = spec.root.empty() ? default_data_folder() : Result<fs::path>(spec.root);
  if (!chosen) return pass(chosen);
  fs::path root = *chosen;
  if (spec.name == "image_folder") return open_image_folder(spec);
  if (spec.name == "digits" || spec.name == "shapes") {
    const auto made =
        ensure_generated({spec.name, spec.train_samples, spec.test_samples, spec.seed}, spec.root);
    if (!made) return pass(made);
    root = *made;
  }
  std::error_code ignored;
  if (fs::is_directory(root / known.folder, ignored)) {
    return known.format != nullptr ? read_cifar(*known.format, root / known.folder)
                                   : read_mnist(root / known.folder);
  }
  if (known.format != nullptr && fs::exists(root / known.format->archive, ignored)) {
    return read_cifar_archive(*known.format, root / known.format->archive, known.format->members);
  }
  return not_there(spec.name, known, root);
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

/// The sample is its own number.
Dataset integers(std::int64_t count) {
  Dataset half;
  half.name = "integers";
  half.count = count;
  half.classes = count;
  half.labels.resize(static_cast<std::size_t>(count));
  std::iota(half.labels.begin(), half.labels.end(), std::int64_t{0});
  return half;
}

Result<void> finish_half(Dataset& half, const messages::DataSpec& spec, bool train) {
  half.name = spec.name;
  if (half.files) return {};  // its transform, and so its size, is made already
  half.transform = transform_of(spec, train);
  const auto size = output_size(half.transform, half.stored);
  if (!size) return pass(size);
  half.height = size->height;
  half.width = size->width;
  return {};
}

Result<DatasetPair> load(const messages::DataSpec& spec, const Known& known) {
  const auto mean = per_channel(spec.mean, "data.mean", known.mean);
  if (!mean) return pass(mean);
  const auto std = per_channel(spec.std, "data.std", known.std);
  if (!std) return pass(std);
  for (const float value : *std) {
    if (!(value > 0.0F)) return bad_request("data.std must be above 0 in every channel");
  }
  auto pair = read_files(spec, known);
  if (!pair) return is_published(known) ? with_hint(pair.error(), spec) : pass(pair);
  for (Dataset* half : {&pair->train, &pair->test}) {
    half->mean = *mean;
    half->std = *std;
    if (auto done = finish_half(*half, spec, half == &pair->train); !done) return pass(done);
  }
  return pair;
}

}  // namespace

Result<DatasetPair> load_datasets(const messages::DataSpec& spec) {
  try {
    if (spec.name == "integers") {
      return DatasetPair{integers(spec.train_samples), integers(spec.test_samples)};
    }
    for (const Known& known : known_sets()) {
      if (spec.name == known.name) return load(spec, known);
    }
  } catch (const std::bad_alloc&) {
    return failure("not enough memory for the data set \"" + spec.name + "\"");
  }
  return bad_request("unknown data set \"" + spec.name +
                     "\"; known: digits, shapes, mnist, fashion_mnist, cifar10, cifar100, "
                     "image_folder, integers");
}

Result<void> check_classes(const DatasetPair& data, std::int64_t model_classes) {
  const std::int64_t classes = data.train.classes;
  if (model_classes >= classes) return {};
  return bad_request("data set \"" + data.train.name + "\" has " + std::to_string(classes) +
                     " classes and the model only " + std::to_string(model_classes) +
                     "; set model.classes = " + std::to_string(classes));
}

}  // namespace ringside::data
