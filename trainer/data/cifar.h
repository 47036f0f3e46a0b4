// Reads CIFAR-10 and CIFAR-100 in the binary version (cs.toronto.edu/~kriz/cifar.html): records of
// one label byte (CIFAR-100: coarse, then fine) and 3,072 bytes of a 3 x 32 x 32 image. Callable
// from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "trainer/data/archive.h"
#include "trainer/data/dataset.h"

namespace ringside::data {

inline constexpr std::size_t kCifarImageBytes = 3 * 32 * 32;
inline constexpr std::size_t kCifarRecordBytes = 1 + kCifarImageBytes;
inline constexpr std::size_t kCifarTrainFiles = 5;

/// The two versions of the format and their published archives.
struct CifarFormat {
  std::string title;
  std::string folder;           ///< under the root, and in the archive
  std::string archive;          ///< name of the published file
  std::size_t label_bytes = 1;  ///< before the image; the last byte is the label
  std::int64_t classes = 10;
  std::vector<std::string> train_files;
  std::string test_file;
  std::vector<ArchiveMember> members;  ///< of the published archive, with their sizes
};
const CifarFormat& cifar10_format();
const CifarFormat& cifar100_format();

/// Reads the files in `folder` (".../cifar-10-batches-bin"). A file may have any whole number of
/// records. Leaves name, mean and std empty.
Result<DatasetPair> read_cifar(const CifarFormat& format, const std::filesystem::path& folder);

/// Reads the files from the published archive without unpacking it to disk. `members` is
/// format.members, or other sizes for a different archive.
Result<DatasetPair> read_cifar_archive(const CifarFormat& format,
                                       const std::filesystem::path& archive,
                                       std::span<const ArchiveMember> members);

/// Writes the files of a CIFAR-10 folder; training images are divided among the five files in
/// order.
Result<void> write_cifar10(const std::filesystem::path& folder,
                           std::span<const std::uint8_t> train_images,
                           std::span<const std::uint8_t> train_labels,
                           std::span<const std::uint8_t> test_images,
                           std::span<const std::uint8_t> test_labels,
                           std::span<const std::string> class_names);

/// First record of training file `file` (0 .. 5, 5 = end) when `count` records are divided among
/// the five.
std::size_t cifar_train_begin(std::size_t count, std::size_t file);

}  // namespace ringside::data
