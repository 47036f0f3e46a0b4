// A folder per class with JPEG and PNG files, as torchvision's ImageFolder reads it: classes are
// the sub-folders of train sorted by name, images their files sorted by path, test (or val) the
// same. Only names are read here; images are decoded when a batch needs them. Callable from any
// thread.
#pragma once

#include <cstddef>

#include "protocol/base/result.h"
#include "trainer/data/dataset.h"

namespace ringside::data {

/// Decoded images of each half that are kept in memory.
inline constexpr std::size_t kImageCacheBytes = std::size_t{256} << 20;

/// spec.root is the folder; spec.resize must be given, for images differ in size and batches do
/// not. Leaves mean and std empty.
Result<DatasetPair> open_image_folder(const messages::DataSpec& spec);

}  // namespace ringside::data
