// What happens to an image between its file and the batch: resizing, a square cut out of it, left
// and right swapped. Which square and whether swapped is a pure function of seed, epoch and sample,
// so that any number of loader threads, ranks or a GPU gives the same images.
#pragma once

#include <cstdint>
#include <utility>

#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::data {

struct TransformOptions {
  std::int64_t resize = 0;    ///< the shorter side becomes so many pixels; 0: as it is
  std::int64_t crop = 0;      ///< side of the square that is cut out; 0: the whole image
  std::int64_t padding = 0;   ///< zeros on every side that the square may reach into
  bool random_place = false;  ///< the square lies anywhere; else in the middle
  bool flip = false;          ///< every second image is mirrored
};

/// Options for the training half, or for the test half: never flipped, always the middle.
TransformOptions transform_of(const messages::DataSpec& spec, bool train);

/// Where the square lies in the (resized) image and whether it is mirrored.
struct Window {
  std::int64_t top = 0;  ///< may lie outside the image by the padding: zeros there
  std::int64_t left = 0;
  bool mirrored = false;
};

struct Size {
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool operator==(const Size&) const = default;
};

/// The image's size after resizing (torchvision's Resize with one number: the longer side is
/// rounded down).
Size resized(const TransformOptions& options, Size image);

/// Size of every sample in a batch. Bad request when the square does not fit into an image that
/// big.
Result<Size> output_size(const TransformOptions& options, Size image);

/// The window of sample `index` in epoch `epoch`; `image` is the resized size, `output` what
/// output_size() returned. Middle as torchvision's CenterCrop rounds it; random as RandomCrop with
/// zero padding, then RandomHorizontalFlip(0.5), would allow.
Window window_of(const TransformOptions& options, Size image, Size output, std::uint64_t seed,
                 std::uint64_t epoch, std::uint64_t index);

}  // namespace ringside::data
