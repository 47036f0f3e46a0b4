// The data sets that need no download: painted by this program, the same bytes on every machine,
// written in the formats of MNIST (digits) and CIFAR-10 (shapes). Callable from any process; no
// LibTorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "protocol/base/result.h"

namespace ringside::data {

struct GeneratedSpec {
  std::string name;  ///< "digits" or "shapes"
  std::int64_t train_samples = 6000;
  std::int64_t test_samples = 1000;
  std::int64_t seed = 0;
};

/// The folder of a generated set under `root`, which is not empty: "digits-6000-1000-0".
/// It holds MNIST/raw or cifar-10-batches-bin, so torchvision reads it as a root, and
/// manifest.toml.
std::filesystem::path generated_folder(const GeneratedSpec& spec,
                                       const std::filesystem::path& root);

/// Returns the folder under `root` (empty: default_data_folder()), painting the set first when it
/// is missing, of another version or incomplete. One process paints, the others wait for it (flock
/// on a file beside the folder); a reader never sees half.
Result<std::filesystem::path> ensure_generated(const GeneratedSpec& spec,
                                               const std::filesystem::path& root);

}  // namespace ringside::data
