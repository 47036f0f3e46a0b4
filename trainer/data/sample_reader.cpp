#include "trainer/data/sample_reader.h"

#include <algorithm>

#include "trainer/data/image_files.h"
#include "trainer/data/resize.h"

namespace ringside::data {
namespace {

/// Leaves a byte unchanged.
struct SameByte {
  std::uint8_t operator[](std::size_t byte) const { return static_cast<std::uint8_t>(byte); }
};

/// Copies one channel of a window; `top` and `left` are relative to the image's first pixel.
template <class Table, class Pixel>
void write_plane(const Table& table, const std::uint8_t* in, Size image, const Window& window,
                 Size output, Pixel* out) {
  const std::int64_t first = std::clamp<std::int64_t>(-window.left, 0, output.width);
  const std::int64_t end = std::clamp<std::int64_t>(image.width - window.left, first, output.width);
  for (std::int64_t y = 0; y < output.height; ++y, out += output.width) {
    const std::int64_t row = y + window.top;
    if (row < 0 || row >= image.height) {
      std::fill_n(out, output.width, table[0]);
      continue;
    }
    std::fill_n(out, first, table[0]);
    std::fill_n(out + end, output.width - end, table[0]);
    const std::uint8_t* pixels = in + row * image.width + window.left;
    for (std::int64_t x = first; x < end; ++x) out[x] = table[pixels[x]];
    if (window.mirrored) std::reverse(out, out + output.width);
  }
}

/// Copies the window of an image with `channels` consecutive planes.
template <class TableOf, class Pixel>
void write(const TableOf& table_of, std::size_t channels, const std::uint8_t* planes, Size image,
           const Window& window, Size output, Pixel* out) {
  const auto plane = static_cast<std::size_t>(image.height * image.width);
  const auto pixels = static_cast<std::size_t>(output.height * output.width);
  const bool whole = image == output && window.top == 0 && window.left == 0 && !window.mirrored;
  for (std::size_t c = 0; c < channels; ++c, planes += plane, out += pixels) {
    const auto& table = table_of(c);
    if (whole) {
      for (std::size_t p = 0; p < plane; ++p) out[p] = table[planes[p]];
    } else {
      write_plane(table, planes, image, window, output, out);
    }
  }
}

}  // namespace

SampleReader::SampleReader(const Dataset& dataset, std::uint64_t seed)
    : dataset_(dataset), seed_(seed), tables_(static_cast<std::size_t>(dataset.channels)) {
  for (std::size_t c = 0; c < tables_.size(); ++c) {
    for (std::size_t value = 0; value < 256; ++value) {
      tables_[c][value] = (static_cast<float>(value) / 255.0F - dataset.mean[c]) / dataset.std[c];
    }
  }
}

Result<void> SampleReader::read(std::uint32_t index, std::uint64_t epoch, Scratch& scratch,
                                float* out) const {
  return read([this](std::size_t c) -> const PixelTable& { return tables_[c]; }, index, epoch,
              scratch, out);
}

Result<void> SampleReader::read(std::uint32_t index, std::uint64_t epoch, Scratch& scratch,
                                std::uint8_t* out) const {
  return read([](std::size_t) { return SameByte{}; }, index, epoch, scratch, out);
}

template <class TableOf, class Pixel>
Result<void> SampleReader::read(const TableOf& table_of, std::uint32_t index, std::uint64_t epoch,
                                Scratch& scratch, Pixel* out) const {
  const TransformOptions& transform = dataset_.transform;
  const Size output{dataset_.height, dataset_.width};
  const auto window = [&](Size image) {
    return window_of(transform, image, output, seed_, epoch, index);
  };
  if (dataset_.files) {
    const auto image = RINGSIDE_TRY(dataset_.files->image(index));
    const auto& [size, planes] = image.pixels;
    write(table_of, tables_.size(), planes, size, window(size), output, out);
    return {};
  }
  const std::uint8_t* planes = dataset_.images.data() + index * dataset_.stored_bytes();
  const Size size = resized(transform, dataset_.stored);
  if (size != dataset_.stored) {
    resize_planes(planes, tables_.size(), dataset_.stored, size, scratch.rows, scratch.pixels);
    planes = scratch.pixels.data();
  }
  write(table_of, tables_.size(), planes, size, window(size), output, out);
  return {};
}

}  // namespace ringside::data
