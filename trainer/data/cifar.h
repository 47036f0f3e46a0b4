// CIFAR-10 in its binary version (cs.toronto.edu/~kriz/cifar.html): records of one label byte and
// 3,072 bytes of a 3 x 32 x 32 image. Callable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "trainer/data/dataset.h"

namespace ringside::data {

inline constexpr std::size_t kCifarImageBytes = 3 * 32 * 32;
inline constexpr std::size_t kCifarRecordBytes = 1 + kCifarImageBytes;
inline constexpr std::size_t kCifarTrainFiles = 5;

/// data_batch_1.bin to data_batch_5.bin and test_batch.bin of `folder`
/// (".../cifar-10-batches-bin"). A file may hold any whole number of records. Leaves name, mean and
/// std empty.
Result<DatasetPair> read_cifar10(const std::filesystem::path& folder);

/// Writes such a folder's files; train images are divided over the five files in order.
Result<void> write_cifar10(const std::filesystem::path& folder,
                           std::span<const std::uint8_t> train_images,
                           std::span<const std::uint8_t> train_labels,
                           std::span<const std::uint8_t> test_images,
                           std::span<const std::uint8_t> test_labels,
                           std::span<const std::string> class_names);

/// First record of train file `file` (0 .. 5, 5 = end) when `count` records are divided over the
/// five.
std::size_t cifar_train_begin(std::size_t count, std::size_t file);

}  // namespace ringside::data
