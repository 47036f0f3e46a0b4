#include "protocol/messages/data_catalog.h"

#include <utility>

#include "protocol/messages/catalog_names.h"

namespace ringside::messages {
namespace {

constexpr const char* kMnistFolder = "MNIST/raw";
constexpr const char* kFashionFolder = "FashionMNIST/raw";
constexpr const char* kCifar10Folder = "cifar-10-batches-bin";
constexpr const char* kCifar100Folder = "cifar-100-binary";

// Sizes of the IDX files: a header, then one byte per pixel or label.
constexpr std::uint64_t kTrainImages = 16 + 60'000 * 28 * 28;
constexpr std::uint64_t kTrainLabels = 8 + 60'000;
constexpr std::uint64_t kTestImages = 16 + 10'000 * 28 * 28;
constexpr std::uint64_t kTestLabels = 8 + 10'000;

PublishedFile idx_file(const std::string& folder, const std::string& name, std::uint64_t packed,
                       std::uint64_t unpacked, const std::string& sha256) {
  const std::string path = folder + "/" + name;
  return {path + ".gz", packed, sha256, {{path, unpacked}}};
}

// Record sizes of the CIFAR files: one label byte (CIFAR-100: coarse, then fine) and an image.
constexpr std::uint64_t kCifarImage = 3 * 32 * 32;
constexpr std::uint64_t kCifar10File = 10'000 * (1 + kCifarImage);
constexpr std::uint64_t kCifar100Record = 2 + kCifarImage;

PublishedFile archive(const std::string& name, const std::string& folder, std::uint64_t packed,
                      const std::string& sha256, std::vector<PublishedMember> members) {
  for (PublishedMember& member : members) member.path.insert(0, folder + "/");
  return {name, packed, sha256, std::move(members)};
}

// Mean and standard deviation: commonly used values for published sets; for generated ones measured
// with seed 0.
std::vector<DataSetDescriptor> list_data_sets() {
  return {
      {.name = "digits",
       .label = "Digits",
       .source = DataSource::kGenerated,
       .format = "idx",
       .folder = kMnistFolder,
       .channels = 1,
       .side = 28,
       .classes = 10,
       .mean = {0.1175F},
       .std = {0.2452F}},
      {.name = "shapes",
       .label = "Shapes",
       .source = DataSource::kGenerated,
       .format = "cifar10",
       .folder = kCifar10Folder,
       .channels = 3,
       .side = 32,
       .classes = 10,
       .mean = {0.4960F, 0.4972F, 0.4995F},
       .std = {0.2100F, 0.2096F, 0.2102F}},
      {.name = "mnist",
       .label = "MNIST",
       .format = "idx",
       .folder = kMnistFolder,
       .channels = 1,
       .side = 28,
       .classes = 10,
       .train_samples = 60'000,
       .test_samples = 10'000,
       .mean = {0.1307F},
       .std = {0.3081F},
       .mirrors = {"https://ossci-datasets.s3.amazonaws.com/mnist/",
                   "https://storage.googleapis.com/cvdf-datasets/mnist/",
                   "http://yann.lecun.com/exdb/mnist/"},
       .files = {idx_file(kMnistFolder, "train-images-idx3-ubyte", 9'912'422, kTrainImages,
                          "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
                 idx_file(kMnistFolder, "train-labels-idx1-ubyte", 28'881, kTrainLabels,
                          "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
                 idx_file(kMnistFolder, "t10k-images-idx3-ubyte", 1'648'877, kTestImages,
                          "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
                 idx_file(kMnistFolder, "t10k-labels-idx1-ubyte", 4'542, kTestLabels,
                          "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6")}},
      {.name = "fashion_mnist",
       .label = "Fashion-MNIST",
       .format = "idx",
       .folder = kFashionFolder,
       .channels = 1,
       .side = 28,
       .classes = 10,
       .train_samples = 60'000,
       .test_samples = 10'000,
       .mean = {0.2860F},
       .std = {0.3530F},
       .mirrors = {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                   "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/"},
       .files = {idx_file(kFashionFolder, "train-images-idx3-ubyte", 26'421'880, kTrainImages,
                          "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"),
                 idx_file(kFashionFolder, "train-labels-idx1-ubyte", 29'515, kTrainLabels,
                          "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"),
                 idx_file(kFashionFolder, "t10k-images-idx3-ubyte", 4'422'102, kTestImages,
                          "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"),
                 idx_file(kFashionFolder, "t10k-labels-idx1-ubyte", 5'148, kTestLabels,
                          "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5")}},
      {.name = "cifar10",
       .label = "CIFAR-10",
       .format = "cifar10",
       .folder = kCifar10Folder,
       .channels = 3,
       .side = 32,
       .classes = 10,
       .train_samples = 50'000,
       .test_samples = 10'000,
       .mean = {0.49139968F, 0.48215827F, 0.44653124F},
       .std = {0.24703233F, 0.24348505F, 0.26158768F},
       .mirrors = {"https://www.cs.toronto.edu/~kriz/"},
       .files = {archive("cifar-10-binary.tar.gz", kCifar10Folder, 170'052'171,
                         "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
                         {{"data_batch_1.bin", kCifar10File},
                          {"data_batch_2.bin", kCifar10File},
                          {"data_batch_3.bin", kCifar10File},
                          {"data_batch_4.bin", kCifar10File},
                          {"data_batch_5.bin", kCifar10File},
                          {"test_batch.bin", kCifar10File},
                          {"batches.meta.txt", 0}})}},
      {.name = "cifar100",
       .label = "CIFAR-100",
       .format = "cifar100",
       .folder = kCifar100Folder,
       .channels = 3,
       .side = 32,
       .classes = 100,
       .train_samples = 50'000,
       .test_samples = 10'000,
       .mean = {0.5071F, 0.4865F, 0.4409F},
       .std = {0.2673F, 0.2564F, 0.2762F},
       .mirrors = {"https://www.cs.toronto.edu/~kriz/"},
       .files = {archive("cifar-100-binary.tar.gz", kCifar100Folder, 168'513'733,
                         "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
                         {{"train.bin", 50'000 * kCifar100Record},
                          {"test.bin", 10'000 * kCifar100Record},
                          {"coarse_label_names.txt", 0},
                          {"fine_label_names.txt", 0}})}},
      {.name = "image_folder",
       .label = "Image folder",
       .source = DataSource::kFolder,
       .format = "image_folder",
       .channels = 3,
       .mean = {0.485F, 0.456F, 0.406F},
       .std = {0.229F, 0.224F, 0.225F}},
      {.name = "integers",
       .label = "Integers",
       .source = DataSource::kNumbers,
       .format = "integers"},
  };
}

}  // namespace

const std::vector<DataSetDescriptor>& data_sets() {
  static const std::vector<DataSetDescriptor> kSets = list_data_sets();
  return kSets;
}

const DataSetDescriptor* find_data_set(std::string_view name) {
  for (const DataSetDescriptor& set : data_sets()) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

std::vector<std::string> data_set_names() {
  std::vector<std::string> names;
  for (const DataSetDescriptor& set : data_sets()) names.push_back(set.name);
  return names;
}

std::vector<std::string> data_set_names(DataSource source) {
  std::vector<std::string> names;
  for (const DataSetDescriptor& set : data_sets()) {
    if (set.source == source) names.push_back(set.name);
  }
  return names;
}

std::string generated_stand_in(const DataSetDescriptor& set) {
  for (const DataSetDescriptor& other : data_sets()) {
    if (other.source == DataSource::kGenerated && other.channels == set.channels &&
        other.side == set.side)
      return other.name;
  }
  return data_set_names(DataSource::kGenerated).front();
}

std::string_view data_set_words() {
  static const std::string kWords = [] {
    std::string words;
    for (const std::string& name : data_set_names()) words += (words.empty() ? "" : " ") + name;
    return words;
  }();
  return kWords;
}

bool is_generated(std::string_view data_set) {
  const auto* set = find_data_set(data_set);
  return set != nullptr && set->sized_by_spec();
}

bool has_images(std::string_view data_set) {
  const auto* set = find_data_set(data_set);
  return set != nullptr && set->has_images();
}

}  // namespace ringside::messages
