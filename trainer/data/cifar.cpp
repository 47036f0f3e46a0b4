#include "trainer/data/cifar.h"

#include <functional>

#include "trainer/data/file_bytes.h"

namespace ringside::data {
namespace {

Dataset empty_set(const CifarFormat& format) {
  Dataset set;
  set.channels = 3;
  set.height = 32;
  set.width = 32;
  set.stored = {32, 32};
  set.classes = format.classes;
  return set;
}

/// `where` names the file in errors.
Result<void> append_records(Dataset& set, const CifarFormat& format, const std::string& where,
                            std::span<const std::uint8_t> bytes) {
  const std::size_t record_bytes = format.label_bytes + kCifarImageBytes;
  if (bytes.size() % record_bytes != 0) {
    return failure(where + ": wrong length: expected whole records of " +
                   std::to_string(record_bytes) + " bytes, found " + std::to_string(bytes.size()) +
                   " bytes; fetch or make the file again");
  }
  const std::size_t records = bytes.size() / record_bytes;
  set.images.reserve(set.images.size() + records * kCifarImageBytes);
  set.labels.reserve(set.labels.size() + records);
  for (std::size_t i = 0; i < records; ++i) {
    const auto record = bytes.subspan(i * record_bytes, record_bytes);
    const std::int64_t label = record[format.label_bytes - 1];
    if (label >= format.classes) {
      return failure(where + ": wrong label in record " + std::to_string(i) + ": expected 0 to " +
                     std::to_string(format.classes - 1) + ", found " + std::to_string(label) +
                     "; this is not a " + format.title + " file of the binary version");
    }
    set.labels.push_back(label);
    const auto image = record.subspan(format.label_bytes);
    set.images.insert(set.images.end(), image.begin(), image.end());
  }
  set.count += static_cast<std::int64_t>(records);
  return {};
}

/// Returns the bytes of one of the format's files.
using Source = std::function<Result<std::vector<std::uint8_t>>(const std::string& file)>;

Result<DatasetPair> read_from(const CifarFormat& format, const std::filesystem::path& where,
                              const Source& source) {
  DatasetPair pair{empty_set(format), empty_set(format)};
  const auto append = [&](Dataset& half, const std::string& file) -> Result<void> {
    const auto bytes = RINGSIDE_TRY(source(file));
    return append_records(half, format, (where / file).string(), bytes);
  };
  for (const std::string& file : format.train_files) {
    RINGSIDE_TRY(append(pair.train, file));
  }
  RINGSIDE_TRY(append(pair.test, format.test_file));
  if (pair.train.count == 0 || pair.test.count == 0) {
    return failure(where.string() + ": expected at least one train and one test record, found " +
                   std::to_string(pair.train.count) + " and " + std::to_string(pair.test.count));
  }
  return pair;
}

std::string train_name(std::size_t file) {
  return "data_batch_" + std::to_string(file + 1) + ".bin";
}

// Creates the format from the catalog's entry for the published set.
CifarFormat make_format(const char* name) {
  const messages::DataSetDescriptor& set = *messages::find_data_set(name);
  CifarFormat format;
  format.title = set.label;
  format.folder = set.folder;
  format.archive = set.files.front().path;
  format.members = set.files.front().members;
  format.classes = set.classes;
  return format;
}

CifarFormat make_cifar10() {
  CifarFormat format = make_format("cifar10");
  format.test_file = "test_batch.bin";
  for (std::size_t file = 0; file < kCifarTrainFiles; ++file)
    format.train_files.push_back(train_name(file));
  return format;
}

CifarFormat make_cifar100() {
  CifarFormat format = make_format("cifar100");
  format.label_bytes = 2;
  format.train_files = {"train.bin"};
  format.test_file = "test.bin";
  return format;
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

}  // namespace

std::size_t cifar_train_begin(std::size_t count, std::size_t file) {
  return count * file / kCifarTrainFiles;
}

const CifarFormat& cifar10_format() {
  static const CifarFormat kFormat = make_cifar10();
  return kFormat;
}

const CifarFormat& cifar100_format() {
  static const CifarFormat kFormat = make_cifar100();
  return kFormat;
}

Result<DatasetPair> read_cifar(const CifarFormat& format, const std::filesystem::path& folder) {
  return read_from(format, folder,
                   [&](const std::string& file) { return read_bytes(folder / file); });
}

Result<DatasetPair> read_cifar_archive(const CifarFormat& format,
                                       const std::filesystem::path& archive,
                                       std::span<const ArchiveMember> members) {
  auto read = RINGSIDE_TRY(read_archive(archive, members));
  return read_from(format, archive, [&](const std::string& file) {
    return Result<std::vector<std::uint8_t>>(std::move(read[format.folder + "/" + file]));
  });
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
