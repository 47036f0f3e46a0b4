#include <filesystem>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/base/text.h"
#include "protocol/host/user_folders.h"
#include "protocol/messages/data_catalog.h"
#include "protocol/messages/spec/data_facts.h"
#include "trainer/data/checksums.h"
#include "trainer/data/cifar.h"
#include "trainer/data/dataset.h"
#include "trainer/data/generated.h"
#include "trainer/data/idx.h"
#include "trainer/data/image_folder.h"

namespace ringside::data {
namespace {

namespace fs = std::filesystem;

using messages::DataSetDescriptor;
using messages::DataSource;

struct ReadRequest {
  const messages::DataSpec& spec;
  const DataSetDescriptor& set;
  fs::path root;  ///< contains set.folder
};

tl::unexpected<Error> not_there(const ReadRequest& request, const std::string& archive = {}) {
  const auto& [spec, set, root] = request;
  std::string message = "data set \"" + spec.name + "\" is not in " + root.string() +
                        ": expected the folder " + (root / set.folder).string();
  if (!archive.empty()) message += " or the archive " + archive;
  std::error_code ignored;
  const bool of_python = fs::exists(root / "cifar-10-batches-py", ignored) ||
                         fs::exists(root / "cifar-100-python", ignored);
  if (!archive.empty() && of_python) {
    message += "; the Python version beside it is a pickle, which can run code and is not read";
  }
  return failure(message + "; set data.root, or use a generated set (" +
                 messages::generated_stand_in(set) + ")");
}

Result<DatasetPair> read_idx_set(const ReadRequest& request) {
  std::error_code ignored;
  const fs::path folder = request.root / request.set.folder;
  return fs::is_directory(folder, ignored) ? read_mnist(folder) : not_there(request);
}

Result<DatasetPair> read_cifar_set(const ReadRequest& request, const CifarFormat& format) {
  std::error_code ignored;
  const fs::path folder = request.root / request.set.folder;
  if (fs::is_directory(folder, ignored)) return read_cifar(format, folder);
  const fs::path archive = request.root / format.archive;
  if (fs::exists(archive, ignored)) return read_cifar_archive(format, archive, format.members);
  return not_there(request, format.archive);
}

/// Each sample is its own index.
Dataset integers(std::int64_t count) {
  Dataset half;
  half.count = count;
  half.classes = count;
  half.labels.resize(static_cast<std::size_t>(count));
  std::iota(half.labels.begin(), half.labels.end(), std::int64_t{0});
  return half;
}

/// Reads one file format; leaves name, mean, std and transform empty.
struct DataSetReader {
  std::string_view format;  ///< as in DataSetDescriptor
  Result<DatasetPair> (*read)(const ReadRequest&);
};

constexpr DataSetReader kReaders[] = {
    {"idx", read_idx_set},
    {"cifar10", [](const ReadRequest& r) { return read_cifar_set(r, cifar10_format()); }},
    {"cifar100", [](const ReadRequest& r) { return read_cifar_set(r, cifar100_format()); }},
    {"image_folder", [](const ReadRequest& r) { return open_image_folder(r.spec); }},
    {"integers",
     [](const ReadRequest& r) {
       return Result<DatasetPair>(
           DatasetPair{integers(r.spec.train_samples), integers(r.spec.test_samples)});
     }},
};

Result<fs::path> root_of(const messages::DataSpec& spec, const DataSetDescriptor& set) {
  if (set.source == DataSource::kGenerated) {
    return ensure_generated({spec.name, spec.train_samples, spec.test_samples, spec.seed},
                            spec.root);
  }
  const bool from_cache = spec.root.empty() && set.source == DataSource::kPublished;
  return from_cache ? default_data_folder() : Result<fs::path>(spec.root);
}

Result<DatasetPair> read_files(const messages::DataSpec& spec, const DataSetDescriptor& set) {
  for (const DataSetReader& reader : kReaders) {
    if (reader.format != set.format) continue;
    const auto root = root_of(spec, set);
    const bool published = set.source == DataSource::kPublished;
    if (const auto same = root && published ? check_unpacked(set, *root) : Result<void>(); !same)
      return pass(same);
    return root ? reader.read({spec, set, *root}) : pass(root);
  }
  return failure("data set \"" + set.name + "\": there is no reader of the format " + set.format +
                 "; this is a defect");
}

tl::unexpected<Error> with_hint(Error error, const messages::DataSpec& spec) {
  error.message += "; `ringside data get " + spec.name +
                   (spec.root.empty() ? "" : " --root " + spec.root) + "` fetches what is missing";
  return tl::unexpected<Error>(std::move(error));
}

Result<std::vector<float>> per_channel(const std::vector<double>& asked, const char* key,
                                       const std::vector<float>& usual) {
  if (asked.empty()) return usual;
  if (asked.size() != usual.size()) {
    return bad_request(std::string(key) + " needs " + std::to_string(usual.size()) +
                       " numbers, one per channel, not " + std::to_string(asked.size()));
  }
  return std::vector<float>(asked.begin(), asked.end());
}

Result<void> finish_half(Dataset& half, const messages::DataSpec& spec, bool train) {
  half.name = spec.name;
  if (half.files) return {};  // its transform, and thus its size, is already set
  half.transform = transform_of(spec, train);
  const auto size = RINGSIDE_TRY(output_size(half.transform, half.stored));
  half.height = size.height;
  half.width = size.width;
  return {};
}

Result<DatasetPair> load(const messages::DataSpec& spec, const DataSetDescriptor& set) {
  if (!set.has_images()) {
    auto pair = read_files(spec, set);
    if (pair) pair->train.name = pair->test.name = spec.name;
    return pair;
  }
  const auto mean = RINGSIDE_TRY(per_channel(spec.mean, "data.mean", set.mean));
  const auto std = RINGSIDE_TRY(per_channel(spec.std, "data.std", set.std));
  for (const float value : std) {
    if (!(value > 0.0F)) return bad_request("data.std must be above 0 in every channel");
  }
  auto pair = read_files(spec, set);
  if (!pair) {
    return set.source == DataSource::kPublished ? with_hint(pair.error(), spec) : pass(pair);
  }
  for (Dataset* half : {&pair->train, &pair->test}) {
    half->mean = mean;
    half->std = std;
    RINGSIDE_TRY(finish_half(*half, spec, half == &pair->train));
  }
  return pair;
}

}  // namespace

Result<DatasetPair> load_datasets(const messages::DataSpec& spec) {
  try {
    if (const DataSetDescriptor* set = messages::find_data_set(spec.name)) return load(spec, *set);
  } catch (const std::bad_alloc&) {
    return failure("not enough memory for the data set \"" + spec.name + "\"");
  }
  std::string known;
  for (const std::string& name : messages::data_set_names()) add_listed(known, name);
  return bad_request("unknown data set \"" + spec.name + "\"; known: " + known);
}

Result<void> check_classes(const DatasetPair& data, std::int64_t model_classes) {
  auto why = messages::class_misfit(data.train.name, data.train.classes, model_classes);
  return why.empty() ? Result<void>() : bad_request(std::move(why));
}

}  // namespace ringside::data
