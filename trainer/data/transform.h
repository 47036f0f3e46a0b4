// Processing of an image between its file and the batch: resize, square crop, horizontal flip. The
// crop and the flip are a pure function of seed, epoch and sample, so that any number of loader
// threads or ranks, or a GPU, produces the same images.
#pragma once

#include <cstdint>
#include <utility>

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::data {

struct TransformOptions {
  std::int64_t resize = 0;    ///< size of the shorter side in pixels; 0: not resized
  std::int64_t crop = 0;      ///< side of the square crop; 0: the whole image
  std::int64_t padding = 0;   ///< zeros on every side that the crop may include
  bool random_place = false;  ///< random position of the crop; otherwise centered
  bool flip = false;          ///< flips half of the images horizontally
};

/// Options for the training half, or for the test half: never flipped, always centered.
TransformOptions transform_of(const messages::DataSpec& spec, bool train);

/// Position of the crop in the (resized) image, and whether it is flipped.
struct Window {
  std::int64_t top = 0;  ///< may be outside the image by the padding, which is zero
  std::int64_t left = 0;
  bool mirrored = false;
};

struct Size {
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool operator==(const Size&) const = default;
};

/// Size of the image after resizing (as torchvision's Resize with one number: the longer side is
/// rounded down).
Size resized(const TransformOptions& options, Size image);

/// Size of every sample in a batch. Bad request when the crop does not fit into an image of that
/// size.
Result<Size> output_size(const TransformOptions& options, Size image);

/// The window of sample `index` in epoch `epoch`; `image` is the resized size, `output` the result
/// of output_size(). The center is rounded as in torchvision's CenterCrop; random windows are those
/// that RandomCrop with zero padding and RandomHorizontalFlip(0.5) could produce.
Window window_of(const TransformOptions& options, Size image, Size output, std::uint64_t seed,
                 std::uint64_t epoch, std::uint64_t index);

}  // namespace ringside::data
