// The data sets by name: their contents, sources and file formats. One table for the trainer, the
// command line and the window. A data set in a known format is one row here; a new format also
// needs a reader in trainer/data; a generated set also needs a generator and its row in
// trainer/data/generators.h. Constants; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::messages {

struct PublishedMember {
  std::string path;              ///< relative to the root, or to the archive: "folder/file"
  std::uint64_t size_bytes = 0;  ///< exact size; 0: optional file of up to 64 KiB
};

struct PublishedFile {
  std::string path;              ///< relative to the root, with torchvision's layout and file name
  std::uint64_t size_bytes = 0;  ///< size of the packed file
  std::string sha256;            ///< 64 lower-case hexadecimal digits
  /// Files in the archive: one for a .gz, any number for a .tar.gz.
  std::vector<PublishedMember> members;

  bool is_archive() const { return path.ends_with(".tar.gz"); }
};

enum class DataSource : std::uint8_t {
  kGenerated,  ///< made by ringside, in data.root
  kPublished,  ///< downloaded by `ringside data get`
  kFolder,     ///< the user's own images in data.root; needs data.resize
  kNumbers,    ///< no images and no files, for model.name = "none"
};

struct DataSetDescriptor {
  // All fields have defaults, so that a row names only those that it sets.
  std::string name = {};   ///< data.name
  std::string label = {};  ///< display name: "Fashion-MNIST"
  DataSource source = DataSource::kPublished;
  std::string format = {};         ///< format of the files; trainer/data has a reader for each
  std::string folder = {};         ///< folder under the root (for a generated set: under its own
                                   ///< folder)
  std::int64_t channels = 0;       ///< 0: no images
  std::int64_t side = 0;           ///< stored height and width; 0: images differ in size
  std::int64_t classes = 0;        ///< 0: known only from the files
  std::int64_t train_samples = 0;  ///< 0: set by data.train_samples, or known only from the files
  std::int64_t test_samples = 0;
  std::vector<float> mean = {};  ///< usual normalisation per channel, for pixels scaled to 0 .. 1
  std::vector<float> std = {};
  std::vector<std::string> mirrors = {};  ///< URLs of folders that contain the files, preferred one
                                          ///< first
  std::vector<PublishedFile> files = {};  ///< files of a published set

  bool has_images() const { return channels > 0; }
  /// True when data.train_samples and data.test_samples set the size.
  bool sized_by_spec() const {
    return source == DataSource::kGenerated || source == DataSource::kNumbers;
  }
};

const std::vector<DataSetDescriptor>& data_sets();

/// Null for an unknown name.
const DataSetDescriptor* find_data_set(std::string_view name);

/// Names of the data sets in the order of the table.
std::vector<std::string> data_set_names();
std::vector<std::string> data_set_names(DataSource source);

/// The generated set with images of the same shape, used while the files of `set` are missing.
std::string generated_stand_in(const DataSetDescriptor& set);

}  // namespace ringside::messages
