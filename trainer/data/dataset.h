// A labelled set of small images, whole in memory, and the way to get one from a run's spec.
// Plain data: read-only after loading, so loader threads share it without locks. No LibTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/run_spec.h"

namespace ringside::data {

struct Dataset {
  std::string name;
  std::int64_t count = 0;
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t classes = 0;
  std::vector<std::uint8_t> images;  ///< count x channels x height x width, contiguous
  std::vector<std::int64_t> labels;  ///< count values in 0 .. classes - 1
  std::vector<float> mean;           ///< usual normalisation per channel, pixels taken as 0 .. 1
  std::vector<float> std;

  std::size_t image_bytes() const { return static_cast<std::size_t>(channels * height * width); }
};

struct DatasetPair {
  Dataset train;
  Dataset test;
};

/// Reads the set named by the spec. Generated sets (digits, shapes) are made first when they are
/// not there; any number of processes may ask at once. mean and std of the spec replace the usual
/// ones. Layouts under the root are torchvision's: MNIST/raw, FashionMNIST/raw (plain or .gz),
/// cifar-10-batches-bin. Errors name the file, what was expected and what was found.
Result<DatasetPair> load_datasets(const messages::DataSpec& spec);

}  // namespace ringside::data
