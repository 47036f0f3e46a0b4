// The IDX files of MNIST (yann.lecun.com/exdb/mnist, "the IDX file format"): a big-endian header of
// magic and sizes, then bytes. Callable from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "trainer/data/dataset.h"

namespace ringside::data {

struct IdxArray {
  std::vector<std::uint32_t> shape;
  std::vector<std::uint8_t> values;  ///< product of shape
};

/// Reads unsigned bytes of `dimensions` dimensions (1 to 4), plain or .gz. Magic, sizes and length
/// must agree.
Result<IdxArray> read_idx(const std::filesystem::path& path, std::size_t dimensions);

/// Writes a plain file; `values` must hold the product of `shape`.
Result<void> write_idx(const std::filesystem::path& path, std::span<const std::uint32_t> shape,
                       std::span<const std::uint8_t> values);

/// Reads MNIST's four files in `folder` (".../MNIST/raw"), each plain or .gz. 10 classes of 1 x 28
/// x 28; `count` may be any positive number. Leaves name, mean and std empty.
Result<DatasetPair> read_mnist(const std::filesystem::path& folder);

/// Writes one half of such a set with the prefix "train" or "t10k".
Result<void> write_mnist_half(const std::filesystem::path& folder, const std::string& prefix,
                              std::span<const std::uint8_t> images,
                              std::span<const std::uint8_t> labels);

}  // namespace ringside::data
