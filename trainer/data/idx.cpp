#include "trainer/data/idx.h"

#include <array>
#include <cstdio>
#include <string>

#include "trainer/data/file_bytes.h"

namespace ringside::data {
namespace {

constexpr std::uint32_t kUnsignedBytes = 0x0800;
constexpr std::uint32_t kIdxSide = 28;

std::uint32_t magic_of(std::size_t dimensions) {
  return kUnsignedBytes | static_cast<std::uint32_t>(dimensions);
}

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 |
         at[3];
}

void append_big_endian(std::vector<std::uint8_t>& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::string hex(std::uint32_t value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", value);
  return text.data();
}

tl::unexpected<Error> wrong(const std::filesystem::path& path, const std::string& what,
                            const std::string& expected, const std::string& found) {
  return failure(path.string() + ": " + what + ": expected " + expected + ", found " + found +
                 "; fetch or make the file again");
}

// Checks the header in `bytes` and returns the shape.
Result<std::vector<std::uint32_t>> read_header(const std::filesystem::path& path,
                                               std::span<const std::uint8_t> bytes,
                                               std::size_t dimensions) {
  const std::size_t header = 4 + 4 * dimensions;
  if (bytes.size() < 4 || big_endian(bytes.data()) != magic_of(dimensions)) {
    return wrong(
        path, "not an IDX file of " + std::to_string(dimensions) + " dimensions",
        "magic " + hex(magic_of(dimensions)),
        bytes.size() < 4 ? std::to_string(bytes.size()) + " bytes" : hex(big_endian(bytes.data())));
  }
  if (bytes.size() < header) {
    return wrong(path, "cut off in the header", std::to_string(header) + " bytes",
                 std::to_string(bytes.size()));
  }
  std::vector<std::uint32_t> shape;
  std::size_t product = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    shape.push_back(big_endian(bytes.data() + 4 + 4 * i));
    // Stops multiplying once the product is too large, so four sizes of 32 bits never overflow.
    if (product <= bytes.size()) product *= shape.back();
  }
  if (product != bytes.size() - header) {
    std::string sizes;
    for (const auto size : shape) sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
    return wrong(path, "wrong length", "a header and " + sizes + " bytes",
                 std::to_string(bytes.size() - header) + " bytes after the header");
  }
  return shape;
}

// `folder`/`name`, or the same with .gz if only that exists.
std::filesystem::path plain_or_packed(const std::filesystem::path& folder,
                                      const std::string& name) {
  std::error_code ignored;
  const std::filesystem::path packed = folder / (name + ".gz");
  const std::filesystem::path plain = folder / name;
  const bool only_packed =
      !std::filesystem::exists(plain, ignored) && std::filesystem::exists(packed, ignored);
  return only_packed ? packed : plain;
}

Result<Dataset> read_half(const std::filesystem::path& folder, const std::string& prefix) {
  const auto images_path = plain_or_packed(folder, prefix + "-images-idx3-ubyte");
  const auto labels_path = plain_or_packed(folder, prefix + "-labels-idx1-ubyte");
  auto images = RINGSIDE_TRY(read_idx(images_path, 3));
  const auto labels = RINGSIDE_TRY(read_idx(labels_path, 1));
  if (images.shape[0] == 0) return wrong(images_path, "no images", "at least one", "none");
  if (images.shape[1] != kIdxSide || images.shape[2] != kIdxSide) {
    return wrong(images_path, "wrong image size", "28 x 28",
                 std::to_string(images.shape[1]) + " x " + std::to_string(images.shape[2]));
  }
  if (labels.shape[0] != images.shape[0]) {
    return wrong(labels_path, "wrong count",
                 std::to_string(images.shape[0]) + " labels as there are images",
                 std::to_string(labels.shape[0]));
  }
  Dataset half;
  half.count = images.shape[0];
  half.channels = 1;
  half.height = kIdxSide;
  half.width = kIdxSide;
  half.stored = {kIdxSide, kIdxSide};
  half.classes = 10;
  half.images = std::move(images.values);
  half.labels.reserve(labels.values.size());
  for (const std::uint8_t label : labels.values) {
    if (label > 9) return wrong(labels_path, "wrong label", "0 to 9", std::to_string(label));
    half.labels.push_back(label);
  }
  return half;
}

}  // namespace

Result<IdxArray> read_idx(const std::filesystem::path& path, std::size_t dimensions) {
  auto bytes = RINGSIDE_TRY(read_bytes(path));
  auto shape = RINGSIDE_TRY(read_header(path, bytes, dimensions));
  const auto header = static_cast<std::ptrdiff_t>(4 + 4 * dimensions);
  bytes.erase(bytes.begin(), bytes.begin() + header);
  return IdxArray{std::move(shape), std::move(bytes)};
}

Result<void> write_idx(const std::filesystem::path& path, std::span<const std::uint32_t> shape,
                       std::span<const std::uint8_t> values) {
  std::vector<std::uint8_t> header;
  append_big_endian(header, magic_of(shape.size()));
  for (const std::uint32_t size : shape) append_big_endian(header, size);
  return write_bytes(path, {header, values});
}

Result<DatasetPair> read_mnist(const std::filesystem::path& folder) {
  auto train = RINGSIDE_TRY(read_half(folder, "train"));
  auto test = RINGSIDE_TRY(read_half(folder, "t10k"));
  return DatasetPair{std::move(train), std::move(test)};
}

Result<void> write_mnist_half(const std::filesystem::path& folder, const std::string& prefix,
                              std::span<const std::uint8_t> images,
                              std::span<const std::uint8_t> labels) {
  const auto count = static_cast<std::uint32_t>(labels.size());
  const std::array<std::uint32_t, 3> image_shape{count, kIdxSide, kIdxSide};
  const std::array<std::uint32_t, 1> label_shape{count};
  const auto written = write_idx(folder / (prefix + "-images-idx3-ubyte"), image_shape, images);
  if (!written) return written;
  return write_idx(folder / (prefix + "-labels-idx1-ubyte"), label_shape, labels);
}

}  // namespace ringside::data
