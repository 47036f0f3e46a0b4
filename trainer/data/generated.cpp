#include "trainer/data/generated.h"

#include <new>
#include <string_view>
#include <vector>

#include "protocol/base/text.h"
#include "protocol/host/file_lock.h"
#include "protocol/host/files.h"
#include "protocol/host/user_folders.h"
#include "protocol/messages/data_catalog.h"
#include "protocol/messages/spec/data_facts.h"
#include "trainer/data/checksums.h"
#include "trainer/data/cifar.h"
#include "trainer/data/generators.h"
#include "trainer/data/idx.h"

namespace ringside::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostSamples = 1'000'000;  // 3 GB of shapes
constexpr const char* kManifest = "manifest.toml";

const Generator* find_generator(std::string_view name) {
  for (const Generator& generator : kGenerators) {
    if (generator.name == name) return &generator;
  }
  return nullptr;
}

/// The set's entry in the catalog, with the layout of its folder. `spec` was checked.
const messages::DataSetDescriptor& descriptor_of(const GeneratedSpec& spec) {
  return *messages::find_data_set(spec.name);
}

bool in_idx_format(const GeneratedSpec& spec) { return descriptor_of(spec).format == "idx"; }

std::size_t image_bytes(const GeneratedSpec& spec) {
  const auto& set = descriptor_of(spec);
  return static_cast<std::size_t>(set.channels * set.side * set.side);
}

struct GeneratedHalf {
  std::vector<std::uint8_t> images;
  std::vector<std::uint8_t> labels;
};

// Half 0 is for training, half 1 for testing; image i does not depend on the number of images.
GeneratedHalf generate(const GeneratedSpec& spec, std::uint64_t half, std::int64_t count) {
  const Generator& generator = *find_generator(spec.name);
  const auto classes = static_cast<std::size_t>(descriptor_of(spec).classes);
  const std::size_t bytes = image_bytes(spec);
  const auto size = static_cast<std::size_t>(count);
  GeneratedHalf set;
  set.images.resize(size * bytes);
  set.labels.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    Random random(static_cast<std::uint64_t>(spec.seed), half, i);
    const std::size_t label = random.below(classes);
    const std::span<std::uint8_t> pixels(set.images.data() + i * bytes, bytes);
    generator.generate(random, label, pixels);
    set.labels[i] = static_cast<std::uint8_t>(label);
  }
  return set;
}

std::string manifest_of(const GeneratedSpec& spec) {
  return "# Made by ringside; remove the folder to have it made again.\n"
         "name = \"" +
         spec.name + "\"\npainter_version = " + std::to_string(kGeneratorVersion) +
         "\ntrain_samples = " + std::to_string(spec.train_samples) +
         "\ntest_samples = " + std::to_string(spec.test_samples) +
         "\nseed = " + std::to_string(spec.seed) + "\n";
}

/// The files of the set, relative to its folder.
std::vector<fs::path> files_of(const GeneratedSpec& spec) {
  const fs::path folder = descriptor_of(spec).folder;
  if (in_idx_format(spec)) {
    return {folder / "train-images-idx3-ubyte", folder / "train-labels-idx1-ubyte",
            folder / "t10k-images-idx3-ubyte", folder / "t10k-labels-idx1-ubyte"};
  }
  std::vector<fs::path> files{folder / "test_batch.bin"};
  for (std::size_t file = 1; file <= kCifarTrainFiles; ++file)
    files.push_back(folder / ("data_batch_" + std::to_string(file) + ".bin"));
  return files;
}

/// The manifest with the checksums of the files in their current state.
Result<std::string> whole_manifest(const GeneratedSpec& spec, const fs::path& folder) {
  const auto checksums = RINGSIDE_TRY(checksums_of(folder, files_of(spec)));
  return manifest_of(spec) + "[crc32]\n" + checksums;
}

bool is_complete(const GeneratedSpec& spec, const fs::path& folder) {
  const auto manifest = read_text(folder / kManifest);
  if (!manifest || !manifest->starts_with(manifest_of(spec))) return false;
  const auto now = whole_manifest(spec, folder);
  return now && *manifest == *now;
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return {};
  return failure("cannot make the folder " + folder.string() + ": " + error.message() +
                 "; choose another with data.root");
}

Result<void> write_set(const GeneratedSpec& spec, const fs::path& folder) {
  const GeneratedHalf train = generate(spec, 0, spec.train_samples);
  const GeneratedHalf test = generate(spec, 1, spec.test_samples);
  const fs::path inner = folder / descriptor_of(spec).folder;
  if (auto made = make_folder(inner); !made) return made;
  Result<void> written;
  if (in_idx_format(spec)) {
    written = write_mnist_half(inner, "train", train.images, train.labels);
    if (written) written = write_mnist_half(inner, "t10k", test.images, test.labels);
  } else {
    written = write_cifar10(inner, train.images, train.labels, test.images, test.labels,
                            find_generator(spec.name)->class_names());
  }
  if (!written) return written;
  const auto manifest = RINGSIDE_TRY(whole_manifest(spec, folder));
  return write_text_atomically(folder / kManifest, manifest, 0644);
}

Result<void> write_set_if_it_fits(const GeneratedSpec& spec, const fs::path& folder) {
  try {
    return write_set(spec, folder);
  } catch (const std::bad_alloc&) {
    return failure("not enough memory to generate " + std::to_string(spec.train_samples) + " " +
                   spec.name + "; lower data.train_samples");
  }
}

// Generates beside the folder and renames, so that the folder is complete or does not exist.
// Requires the lock.
Result<void> generate_folder(const GeneratedSpec& spec, const fs::path& folder) {
  const fs::path draft = folder.string() + ".part";
  std::error_code error;
  fs::remove_all(draft, error);
  if (auto written = write_set_if_it_fits(spec, draft); !written) {
    fs::remove_all(draft, error);
    return written;
  }
  fs::remove_all(folder, error);
  fs::rename(draft, folder, error);
  if (error) return failure("cannot put " + folder.string() + " in place: " + error.message());
  return {};
}

Result<void> check(const GeneratedSpec& spec) {
  if (find_generator(spec.name) == nullptr) {
    std::string known;
    for (const Generator& generator : kGenerators) add_listed(known, std::string(generator.name));
    return bad_request("unknown generated data set \"" + spec.name + "\"; known: " + known);
  }
  for (const std::int64_t count : {spec.train_samples, spec.test_samples}) {
    if (count < 1 || count > kMostSamples) {
      return bad_request("data set \"" + spec.name + "\" can have 1 to " +
                         std::to_string(kMostSamples) + " samples, not " + std::to_string(count));
    }
  }
  return {};
}

}  // namespace

fs::path generated_folder(const GeneratedSpec& spec, const fs::path& root) {
  return root / messages::generated_folder_name(spec.name, spec.train_samples, spec.test_samples,
                                                spec.seed);
}

Result<fs::path> ensure_generated(const GeneratedSpec& spec, const fs::path& root) {
  RINGSIDE_TRY(check(spec));
  const auto parent = root.empty() ? default_data_folder() : Result<fs::path>(root);
  if (!parent) return pass(parent);
  const fs::path folder = generated_folder(spec, *parent);
  if (is_complete(spec, folder)) return folder;
  RINGSIDE_TRY(make_folder(folder.parent_path()));
  const auto lock = FileLock::take(folder.string() + ".lock");
  if (!lock) return pass(lock);
  if (is_complete(spec, folder)) return folder;  // another process generated it while we waited
  RINGSIDE_TRY(generate_folder(spec, folder));
  return folder;
}

}  // namespace ringside::data
