// A folder per class with JPEG and PNG files, in the layout of torchvision's ImageFolder: the
// classes are the sub-folders of train sorted by name, their images the files sorted by path; the
// same for test (or val). Only names are read here; images are decoded when a batch needs them.
// Callable from any thread.
#pragma once

#include <cstddef>

#include "protocol/base/result.h"
#include "trainer/data/dataset.h"

namespace ringside::data {

/// Maximum size of the decoded images of each half that are cached.
inline constexpr std::size_t kImageCacheBytes = std::size_t{256} << 20;

/// spec.root is the folder; spec.resize is required, since images differ in size and those of a
/// batch must not. Leaves mean and std empty.
Result<DatasetPair> open_image_folder(const messages::DataSpec& spec);

}  // namespace ringside::data
