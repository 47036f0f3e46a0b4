#include "trainer/data/transform.h"

#include <algorithm>
#include <string>

#include "trainer/data/random.h"

namespace ringside::data {
namespace {

// Stream number of these random numbers; the generators of data sets use small numbers.
constexpr std::uint64_t kStream = 0x6372'6f70;

// Half of the rest, rounded as in CenterCrop: Python's round() rounds a half to the even number.
std::int64_t middle(std::int64_t rest) { return rest % 4 == 3 ? rest / 2 + 1 : rest / 2; }

std::string text_of(Size size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height);
}

}  // namespace

TransformOptions transform_of(const messages::DataSpec& spec, bool train) {
  TransformOptions options;
  options.resize = spec.resize;
  options.crop = spec.crop;
  options.padding = spec.crop_padding;
  options.random_place = train && spec.crop > 0;
  options.flip = train && spec.flip;
  return options;
}

Size resized(const TransformOptions& options, Size image) {
  const std::int64_t wanted = options.resize;
  if (wanted == 0) return image;
  if (image.width <= image.height) {
    return {std::max<std::int64_t>(1, wanted * image.height / image.width), wanted};
  }
  return {wanted, std::max<std::int64_t>(1, wanted * image.width / image.height)};
}

Result<Size> output_size(const TransformOptions& options, Size image) {
  const Size now = resized(options, image);
  if (options.crop == 0) return now;
  const std::int64_t room = std::min(now.height, now.width) + 2 * options.padding;
  if (options.crop > room) {
    return bad_request(
        "data.crop = " + std::to_string(options.crop) + " does not fit into an image of " +
        text_of(now) + " pixels" +
        (options.padding > 0 ? " with " + std::to_string(options.padding) + " around it" : "") +
        "; lower it or set data.resize");
  }
  return Size{options.crop, options.crop};
}

Window window_of(const TransformOptions& options, Size image, Size output, std::uint64_t seed,
                 std::uint64_t epoch, std::uint64_t index) {
  const std::int64_t free_rows = image.height - output.height;
  const std::int64_t free_columns = image.width - output.width;
  Window window{middle(free_rows), middle(free_columns), false};
  if (!options.random_place && !options.flip) return window;
  Random random(seed, kStream + epoch, index);
  if (options.random_place) {
    const auto place = [&](std::int64_t room) {
      return static_cast<std::int64_t>(
                 random.below(static_cast<std::size_t>(room + 2 * options.padding) + 1)) -
             options.padding;
    };
    window.top = place(free_rows);
    window.left = place(free_columns);
  }
  window.mirrored = options.flip && random.chance(0.5);
  return window;
}

}  // namespace ringside::data
