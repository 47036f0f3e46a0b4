#include "protocol/messages/published_sets.h"

#include <utility>

namespace ringside::messages {
namespace {

PublishedFile idx_file(const std::string& folder, const std::string& name, std::uint64_t packed,
                       std::uint64_t unpacked, const std::string& sha256) {
  const std::string path = folder + "/" + name;
  return {path + ".gz", packed, sha256, {{path, unpacked}}};
}

constexpr std::uint64_t kTrainImages = 16 + 60'000 * 28 * 28;
constexpr std::uint64_t kTrainLabels = 8 + 60'000;
constexpr std::uint64_t kTestImages = 16 + 10'000 * 28 * 28;
constexpr std::uint64_t kTestLabels = 8 + 10'000;

PublishedSet mnist() {
  const std::string folder = "MNIST/raw";
  return {
      "mnist",
      folder,
      {"https://ossci-datasets.s3.amazonaws.com/mnist/",
       "https://storage.googleapis.com/cvdf-datasets/mnist/", "http://yann.lecun.com/exdb/mnist/"},
      {idx_file(folder, "train-images-idx3-ubyte", 9'912'422, kTrainImages,
                "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"),
       idx_file(folder, "train-labels-idx1-ubyte", 28'881, kTrainLabels,
                "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"),
       idx_file(folder, "t10k-images-idx3-ubyte", 1'648'877, kTestImages,
                "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"),
       idx_file(folder, "t10k-labels-idx1-ubyte", 4'542, kTestLabels,
                "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6")}};
}

PublishedSet fashion_mnist() {
  const std::string folder = "FashionMNIST/raw";
  return {"fashion_mnist",
          folder,
          {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
           "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/"},
          {idx_file(folder, "train-images-idx3-ubyte", 26'421'880, kTrainImages,
                    "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"),
           idx_file(folder, "train-labels-idx1-ubyte", 29'515, kTrainLabels,
                    "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"),
           idx_file(folder, "t10k-images-idx3-ubyte", 4'422'102, kTestImages,
                    "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"),
           idx_file(folder, "t10k-labels-idx1-ubyte", 5'148, kTestLabels,
                    "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5")}};
}

constexpr std::uint64_t kPicture = 3 * 32 * 32;

PublishedSet cifar(const std::string& name, const std::string& folder, std::uint64_t packed,
                   const std::string& sha256, std::vector<PublishedMember> members) {
  for (PublishedMember& member : members) member.path.insert(0, folder + "/");
  const std::string number = name.substr(5);
  return {name,
          folder,
          {"https://www.cs.toronto.edu/~kriz/"},
          {{"cifar-" + number + "-binary.tar.gz", packed, sha256, std::move(members)}}};
}

// Records of a label byte and a picture.
PublishedSet cifar10() {
  constexpr std::uint64_t kFile = 10'000 * (1 + kPicture);
  return cifar("cifar10", "cifar-10-batches-bin", 170'052'171,
               "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
               {{"data_batch_1.bin", kFile},
                {"data_batch_2.bin", kFile},
                {"data_batch_3.bin", kFile},
                {"data_batch_4.bin", kFile},
                {"data_batch_5.bin", kFile},
                {"test_batch.bin", kFile},
                {"batches.meta.txt", 0}});
}

// Two label bytes: coarse, then fine.
PublishedSet cifar100() {
  constexpr std::uint64_t kRecord = 2 + kPicture;
  return cifar("cifar100", "cifar-100-binary", 168'513'733,
               "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
               {{"train.bin", 50'000 * kRecord},
                {"test.bin", 10'000 * kRecord},
                {"coarse_label_names.txt", 0},
                {"fine_label_names.txt", 0}});
}

}  // namespace

const std::vector<PublishedSet>& published_sets() {
  static const std::vector<PublishedSet> kSets{mnist(), fashion_mnist(), cifar10(), cifar100()};
  return kSets;
}

const PublishedSet* published_set(std::string_view name) {
  for (const PublishedSet& set : published_sets()) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

}  // namespace ringside::messages
