#include "trainer/data/resize.h"

#include <algorithm>
#include <cmath>

namespace ringside::data {
namespace {

/// Number of fractional bits of the fixed-point weights: 32 minus 8 for the pixel and 2 spare bits.
constexpr int kPlaces = 32 - 8 - 2;

/// Contributions of input pixels to each output pixel: `taps` weights from pixel `first` on.
struct Filter {
  std::vector<std::size_t> first;
  std::vector<std::size_t> taps;
  std::vector<std::int32_t> weights;  ///< `stride` weights per output pixel
  std::size_t stride = 0;
};

Filter filter_of(std::int64_t from, std::int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double support = std::max(scale, 1.0);  // of the triangle, in input pixels
  Filter filter;
  filter.stride = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
  std::vector<double> exact(filter.stride);
  for (std::int64_t out = 0; out < to; ++out) {
    const double center = (static_cast<double>(out) + 0.5) * scale;
    const auto low = std::max<std::int64_t>(0, static_cast<std::int64_t>(center - support + 0.5));
    const auto high = std::min(from, static_cast<std::int64_t>(center + support + 0.5));
    const auto taps = static_cast<std::size_t>(high - low);
    double sum = 0.0;
    for (std::size_t i = 0; i < taps; ++i) {
      const double x =
          (static_cast<double>(i) + static_cast<double>(low) - center + 0.5) * (1.0 / support);
      exact[i] = std::max(0.0, 1.0 - std::abs(x));
      sum += exact[i];
    }
    filter.first.push_back(static_cast<std::size_t>(low));
    filter.taps.push_back(taps);
    for (std::size_t i = 0; i < filter.stride; ++i) {
      const double weight = i < taps && sum != 0.0 ? exact[i] / sum : 0.0;
      filter.weights.push_back(static_cast<std::int32_t>(0.5 + weight * (1 << kPlaces)));
    }
  }
  return filter;
}

std::uint8_t to_byte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kPlaces, 0, 255));
}

void along_rows(const std::uint8_t* in, std::size_t rows, std::size_t width, const Filter& filter,
                std::uint8_t* out) {
  const std::size_t out_width = filter.first.size();
  for (std::size_t y = 0; y < rows; ++y, in += width, out += out_width) {
    for (std::size_t x = 0; x < out_width; ++x) {
      const std::int32_t* weight = filter.weights.data() + x * filter.stride;
      const std::uint8_t* pixel = in + filter.first[x];
      std::int32_t sum = 1 << (kPlaces - 1);
      for (std::size_t i = 0; i < filter.taps[x]; ++i) sum += pixel[i] * weight[i];
      out[x] = to_byte(sum);
    }
  }
}

void along_columns(const std::uint8_t* in, std::size_t width, const Filter& filter,
                   std::vector<std::int32_t>& sums, std::uint8_t* out) {
  for (std::size_t y = 0; y < filter.first.size(); ++y, out += width) {
    const std::int32_t* weight = filter.weights.data() + y * filter.stride;
    std::fill(sums.begin(), sums.end(), 1 << (kPlaces - 1));
    for (std::size_t i = 0; i < filter.taps[y]; ++i) {
      const std::uint8_t* row = in + (filter.first[y] + i) * width;
      for (std::size_t x = 0; x < width; ++x) sums[x] += row[x] * weight[i];
    }
    for (std::size_t x = 0; x < width; ++x) out[x] = to_byte(sums[x]);
  }
}

}  // namespace

void resize_planes(const std::uint8_t* planes, std::size_t count, Size from, Size to,
                   std::vector<std::uint8_t>& rows, std::vector<std::uint8_t>& out) {
  const Filter horizontal = filter_of(from.width, to.width);
  const Filter vertical = filter_of(from.height, to.height);
  const auto height = static_cast<std::size_t>(from.height);
  const auto width = static_cast<std::size_t>(from.width);
  const auto out_width = static_cast<std::size_t>(to.width);
  const std::size_t out_plane = static_cast<std::size_t>(to.height) * out_width;
  std::vector<std::int32_t> sums(out_width);
  rows.resize(height * out_width);
  out.resize(count * out_plane);
  for (std::size_t plane = 0; plane < count; ++plane) {
    along_rows(planes + plane * height * width, height, width, horizontal, rows.data());
    along_columns(rows.data(), out_width, vertical, sums, out.data() + plane * out_plane);
  }
}

}  // namespace ringside::data
