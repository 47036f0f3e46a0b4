// The table of data sets is complete, and the sizes follow from the formats.
#include "protocol/messages/data_catalog.h"

#include <algorithm>
#include <set>

#include "tests/support/catch.h"

using namespace ringside;
using messages::DataSetDescriptor;
using messages::DataSource;

TEST_CASE("every data set has a name, a label, a format and matching channels") {
  std::set<std::string> names;
  for (const DataSetDescriptor& set : messages::data_sets()) {
    INFO(set.name);
    CHECK(names.insert(set.name).second);
    CHECK(messages::find_data_set(set.name) == &set);
    CHECK_FALSE(set.label.empty());
    CHECK_FALSE(set.format.empty());
    CHECK(set.mean.size() == static_cast<std::size_t>(set.channels));
    CHECK(set.std.size() == set.mean.size());
    const bool published = set.source == DataSource::kPublished;
    CHECK(published != set.files.empty());
    CHECK(published != set.mirrors.empty());
    CHECK(published == (set.train_samples > 0));
  }
  CHECK(messages::find_data_set("imagenet") == nullptr);
}

TEST_CASE("published files have checksums and the sizes that follow from their formats") {
  for (const DataSetDescriptor& set : messages::data_sets()) {
    INFO(set.name);
    for (const auto& file : set.files) {
      CHECK(file.sha256.size() == 64);
      CHECK(file.size_bytes > 0);
      CHECK_FALSE(file.members.empty());
    }
  }
  const auto* mnist = messages::find_data_set("mnist");
  REQUIRE(mnist != nullptr);
  CHECK(mnist->files.size() == 4);
  CHECK(mnist->files[0].path == "MNIST/raw/train-images-idx3-ubyte.gz");
  CHECK(mnist->files[0].members.at(0).size_bytes == 47'040'016);
  const auto* cifar = messages::find_data_set("cifar10");
  REQUIRE(cifar != nullptr);
  CHECK(cifar->files.at(0).path == "cifar-10-binary.tar.gz");
  CHECK(cifar->files[0].is_archive());
  CHECK(cifar->files[0].members.at(0).path == "cifar-10-batches-bin/data_batch_1.bin");
  CHECK(cifar->files[0].members[0].size_bytes == 30'730'000);
  const auto* cifar100 = messages::find_data_set("cifar100");
  CHECK(cifar100->files.at(0).members.at(0).size_bytes == 153'700'000);
}

TEST_CASE("data sets are listed by source, and a generated set stands in for missing files") {
  CHECK(messages::data_set_names(DataSource::kGenerated) ==
        std::vector<std::string>{"digits", "shapes"});
  CHECK(messages::data_set_names(DataSource::kNumbers) == std::vector<std::string>{"integers"});
  CHECK(messages::generated_stand_in(*messages::find_data_set("fashion_mnist")) == "digits");
  CHECK(messages::generated_stand_in(*messages::find_data_set("cifar100")) == "shapes");
  CHECK(messages::generated_stand_in(*messages::find_data_set("image_folder")) == "digits");
}
