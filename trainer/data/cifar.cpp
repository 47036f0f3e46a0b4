#include "trainer/data/cifar.h"

#include "trainer/data/file_bytes.h"

namespace ringside::data {
namespace {

Dataset empty_set() {
  Dataset set;
  set.channels = 3;
  set.height = 32;
  set.width = 32;
  set.classes = 10;
  return set;
}

Result<void> append_file(Dataset& set, const std::filesystem::path& path) {
  const auto bytes = read_bytes(path);
  if (!bytes) return pass(bytes);
  if (bytes->size() % kCifarRecordBytes != 0) {
    return failure(path.string() + ": wrong length: expected whole records of " +
                   std::to_string(kCifarRecordBytes) + " bytes, found " +
                   std::to_string(bytes->size()) + " bytes; fetch or make the file again");
  }
  const std::size_t records = bytes->size() / kCifarRecordBytes;
  set.images.reserve(set.images.size() + records * kCifarImageBytes);
  set.labels.reserve(set.labels.size() + records);
  for (std::size_t i = 0; i < records; ++i) {
    const std::uint8_t* record = bytes->data() + i * kCifarRecordBytes;
    if (record[0] > 9) {
      return failure(path.string() + ": wrong label in record " + std::to_string(i) +
                     ": expected 0 to 9, found " + std::to_string(record[0]) +
                     "; this is not a CIFAR-10 file of the binary version");
    }
    set.labels.push_back(record[0]);
    set.images.insert(set.images.end(), record + 1, record + kCifarRecordBytes);
  }
  set.count += static_cast<std::int64_t>(records);
  return {};
}

Result<void> write_records(const std::filesystem::path& path, std::span<const std::uint8_t> images,
                           std::span<const std::uint8_t> labels) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(labels.size() * kCifarRecordBytes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    bytes.push_back(labels[i]);
    const auto image = images.subspan(i * kCifarImageBytes, kCifarImageBytes);
    bytes.insert(bytes.end(), image.begin(), image.end());
  }
  return write_bytes(path, {bytes});
}

std::string train_name(std::size_t file) {
  return "data_batch_" + std::to_string(file + 1) + ".bin";
}

}  // namespace

std::size_t cifar_train_begin(std::size_t count, std::size_t file) {
  return count * file / kCifarTrainFiles;
}

Result<DatasetPair> read_cifar10(const std::filesystem::path& folder) {
  DatasetPair pair{empty_set(), empty_set()};
  for (std::size_t file = 0; file < kCifarTrainFiles; ++file) {
    const auto read = append_file(pair.train, folder / train_name(file));
    if (!read) return pass(read);
  }
  const auto read = append_file(pair.test, folder / "test_batch.bin");
  if (!read) return pass(read);
  if (pair.train.count == 0 || pair.test.count == 0) {
    return failure(folder.string() + ": expected at least one train and one test record, found " +
                   std::to_string(pair.train.count) + " and " + std::to_string(pair.test.count));
  }
  return pair;
}

Result<void> write_cifar10(const std::filesystem::path& folder,
                           std::span<const std::uint8_t> train_images,
                           std::span<const std::uint8_t> train_labels,
                           std::span<const std::uint8_t> test_images,
                           std::span<const std::uint8_t> test_labels,
                           std::span<const std::string> class_names) {
  for (std::size_t file = 0; file < kCifarTrainFiles; ++file) {
    const std::size_t begin = cifar_train_begin(train_labels.size(), file);
    const std::size_t count = cifar_train_begin(train_labels.size(), file + 1) - begin;
    const auto written =
        write_records(folder / train_name(file),
                      train_images.subspan(begin * kCifarImageBytes, count * kCifarImageBytes),
                      train_labels.subspan(begin, count));
    if (!written) return written;
  }
  std::string names;
  for (const std::string& name : class_names) names += name + "\n";
  const auto written =
      write_bytes(folder / "batches.meta.txt",
                  {std::span(reinterpret_cast<const std::uint8_t*>(names.data()), names.size())});
  if (!written) return written;
  return write_records(folder / "test_batch.bin", test_images, test_labels);
}

}  // namespace ringside::data
