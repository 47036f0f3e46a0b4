// A labelled set of small images, in memory or read from its files one by one, and how to load one
// from a run's spec. Plain data: read-only after loading, so that loader threads share it without
// locks. No LibTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"
#include "trainer/data/transform.h"

namespace ringside::data {

class ImageFiles;

struct Dataset {
  std::string name;
  std::int64_t count = 0;
  std::int64_t channels = 0;  ///< 0: numbers only ("integers")
  std::int64_t height = 0;    ///< of a sample in a batch, after the transforms
  std::int64_t width = 0;
  std::int64_t classes = 0;
  std::vector<std::uint8_t> images;  ///< count x channels x stored size, contiguous; empty: `files`
  Size stored;                       ///< of an image in `images`
  std::shared_ptr<const ImageFiles> files;  ///< images that are decoded when a batch needs them
  std::vector<std::int64_t> labels;         ///< count values in 0 .. classes - 1
  std::vector<float> mean;  ///< usual normalisation per channel, for pixels scaled to 0 .. 1
  std::vector<float> std;
  TransformOptions transform;  ///< for this half

  std::size_t stored_bytes() const {
    return static_cast<std::size_t>(channels * stored.height * stored.width);
  }
  /// Number of floats of a sample in a batch.
  std::size_t sample_size() const { return static_cast<std::size_t>(channels * height * width); }
};

struct DatasetPair {
  Dataset train;
  Dataset test;
};

/// Reads the set named by the spec. Generated sets (digits, shapes) are generated first if missing;
/// several processes may call this at once. mean and std of the spec replace the usual ones;
/// resize, crop and flip become the transforms. Layouts under the root are torchvision's:
/// MNIST/raw, FashionMNIST/raw (plain or .gz), cifar-10-batches-bin, cifar-100-binary, or the
/// published archives of the last two; image_folder: a folder per class in train and in test (or
/// val). Errors name the file, what was expected and what was found.
Result<DatasetPair> load_datasets(const messages::DataSpec& spec);

/// Bad request when the set has more classes than the model.
Result<void> check_classes(const DatasetPair& data, std::int64_t model_classes);

}  // namespace ringside::data
