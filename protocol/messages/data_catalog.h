// The data sets by name: what they hold, where they come from, and which format their files have.
// One table for the trainer, the command line and the window: a data set in a known format is one
// row here, one in a new format needs a reader in trainer/data as well, a generated one its
// generator and its row in trainer/data/generators.h. Constants; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::messages {

struct PublishedMember {
  std::string path;              ///< under the root, and in an archive: "folder/file"
  std::uint64_t size_bytes = 0;  ///< exactly; 0: any up to 64 KiB, and it may be missing
};

struct PublishedFile {
  std::string path;              ///< under the root, as torchvision keeps it; its name is published
  std::uint64_t size_bytes = 0;  ///< packed
  std::string sha256;            ///< 64 digits of lower-case hexadecimal
  /// What it unpacks to. One member for a .gz, any number for a .tar.gz.
  std::vector<PublishedMember> members;

  bool is_archive() const { return path.ends_with(".tar.gz"); }
};

enum class DataSource : std::uint8_t {
  kGenerated,  ///< by ringside, into data.root
  kPublished,  ///< fetched by `ringside data get`
  kFolder,     ///< the user's own images in data.root; needs data.resize
  kNumbers,    ///< no images and no files, for model.name = "none"
};

struct DataSetDescriptor {
  // Defaults for all, since rows name only what they have.
  std::string name = {};   ///< data.name
  std::string label = {};  ///< for people: "Fashion-MNIST"
  DataSource source = DataSource::kPublished;
  std::string format = {};         ///< of the files; trainer/data has a reader for each
  std::string folder = {};         ///< under the root (of a generated set: under its own folder)
  std::int64_t channels = 0;       ///< 0: no images
  std::int64_t side = 0;           ///< stored height and width; 0: images differ in size
  std::int64_t classes = 0;        ///< 0: known from the files only
  std::int64_t train_samples = 0;  ///< 0: data.train_samples, or known from the files only
  std::int64_t test_samples = 0;
  std::vector<float> mean = {};  ///< usual normalisation per channel, pixels taken as 0 .. 1
  std::vector<float> std = {};
  std::vector<std::string> mirrors = {};  ///< URLs of folders that hold the files, best first
  std::vector<PublishedFile> files = {};  ///< of a published set

  bool has_images() const { return channels > 0; }
  /// data.train_samples and data.test_samples choose the size.
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

/// The generated set with images of the same shape, to use while the files of `set` are missing.
std::string generated_stand_in(const DataSetDescriptor& set);

}  // namespace ringside::messages
