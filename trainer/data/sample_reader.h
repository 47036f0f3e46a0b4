// Reads one sample of a data set as normalised floats or as bytes: fetched, resized, cropped,
// flipped. Used by any number of threads at once, each with its own Scratch. The data set must
// outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "protocol/base/result.h"
#include "trainer/data/dataset.h"

namespace ringside::data {

class SampleReader {
 public:
  /// Memory that is reused from sample to sample.
  struct Scratch {
    std::vector<std::uint8_t> pixels;
    std::vector<std::uint8_t> rows;
  };

  SampleReader(const Dataset& dataset, std::uint64_t seed);

  /// Writes dataset.sample_size() pixels: floats, or the original bytes. Fails when an image file
  /// cannot be read.
  Result<void> read(std::uint32_t index, std::uint64_t epoch, Scratch& scratch, float* out) const;
  Result<void> read(std::uint32_t index, std::uint64_t epoch, Scratch& scratch,
                    std::uint8_t* out) const;

 private:
  /// The float for each of the 256 values of a pixel of one channel: exactly what torchvision's
  /// ToTensor and Normalize compute, divisions included.
  using PixelTable = std::array<float, 256>;

  /// `table_of` returns the table of a channel.
  template <class TableOf, class Pixel>
  Result<void> read(const TableOf& table_of, std::uint32_t index, std::uint64_t epoch,
                    Scratch& scratch, Pixel* out) const;

  const Dataset& dataset_;
  std::uint64_t seed_;
  std::vector<PixelTable> tables_;
};

}  // namespace ringside::data
