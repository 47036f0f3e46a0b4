// The published data sets: sizes that follow from their formats.
#include "protocol/messages/published_sets.h"

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("published sets are found by name, with the sizes that their formats give") {
  const auto* mnist = messages::published_set("mnist");
  REQUIRE(mnist != nullptr);
  CHECK(mnist->files.size() == 4);
  CHECK(mnist->files[0].path == "MNIST/raw/train-images-idx3-ubyte.gz");
  CHECK(mnist->files[0].members.at(0).size_bytes == 47'040'016);
  const auto* cifar = messages::published_set("cifar10");
  REQUIRE(cifar != nullptr);
  CHECK(cifar->files.at(0).path == "cifar-10-binary.tar.gz");
  CHECK(cifar->files[0].members.at(0).path == "cifar-10-batches-bin/data_batch_1.bin");
  CHECK(cifar->files[0].members[0].size_bytes == 30'730'000);
  CHECK(messages::published_set("cifar100")->files.at(0).members.at(0).size_bytes == 153'700'000);
  CHECK(messages::published_set("digits") == nullptr);
  for (const auto& set : messages::published_sets()) {
    for (const auto& file : set.files) CHECK(file.sha256.size() == 64);
  }
}
