#include "trainer/data/image_folder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "trainer/data/image_files.h"

namespace ringside::data {
namespace {

namespace fs = std::filesystem;

constexpr std::array kRead{".jpg", ".jpeg", ".png"};
/// torchvision reads these as images too; silently leaving them out would give a different data
/// set.
constexpr std::array kNotRead{".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp", ".gif"};

std::string suffix_of(const fs::path& path) {
  std::string suffix = path.extension().string();
  for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return suffix;
}

bool is_one_of(const std::string& suffix, const auto& list) {
  return std::find(list.begin(), list.end(), suffix) != list.end();
}

tl::unexpected<Error> cannot_list(const fs::path& folder, const std::error_code& error) {
  return failure("cannot list " + folder.string() + ": " + error.message());
}

/// Names of the entries of `folder`, sorted by bytes.
Result<std::vector<fs::path>> sorted_entries(const fs::path& folder, bool folders) {
  std::error_code error;
  std::vector<fs::path> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) == folders) names.push_back(entry->path().filename());
  }
  if (error) return cannot_list(folder, error);
  std::sort(names.begin(), names.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return names;
}

/// Images in `folder` and below it, in torchvision's order: sorted(os.walk()), then names.
Result<std::vector<fs::path>> images_below(const fs::path& folder) {
  std::vector<fs::path> folders{folder};
  constexpr auto kOptions = fs::directory_options::follow_directory_symlink;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, kOptions, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry.depth() > 16) return failure(folder.string() + ": folders lie deeper than 16 levels");
    std::error_code ignored;
    if (entry->is_directory(ignored)) folders.push_back(entry->path());
  }
  if (error) return cannot_list(folder, error);
  std::sort(folders.begin(), folders.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  std::vector<fs::path> images;
  for (const fs::path& inner : folders) {
    const auto names = RINGSIDE_TRY(sorted_entries(inner, false));
    for (const fs::path& name : names) {
      const std::string suffix = suffix_of(name);
      if (is_one_of(suffix, kNotRead)) {
        return failure((inner / name).string() +
                       ": this kind of image is not read; make it PNG "
                       "or JPEG, or move it out of the data set");
      }
      if (is_one_of(suffix, kRead)) images.push_back(inner / name);
    }
  }
  return images;
}

Result<std::vector<std::string>> classes_in(const fs::path& half) {
  const auto folders = RINGSIDE_TRY(sorted_entries(half, true));
  if (folders.empty()) {
    return failure(half.string() + ": expected one folder per class with images in it, found none");
  }
  return std::vector<std::string>(folders.begin(), folders.end());
}

Result<Dataset> open_half(const fs::path& folder, const std::vector<std::string>& classes,
                          const TransformOptions& transform) {
  Dataset half;
  half.channels = 3;
  half.height = half.width = transform.crop;
  half.classes = static_cast<std::int64_t>(classes.size());
  half.transform = transform;
  std::vector<fs::path> all;
  for (std::size_t label = 0; label < classes.size(); ++label) {
    const auto images = RINGSIDE_TRY(images_below(folder / classes[label]));
    if (images.empty()) {
      return failure((folder / classes[label]).string() +
                     ": expected .jpg, .jpeg or .png files, found none; remove the empty class or "
                     "fill it");
    }
    all.insert(all.end(), images.begin(), images.end());
    half.labels.insert(half.labels.end(), images.size(), static_cast<std::int64_t>(label));
  }
  half.count = static_cast<std::int64_t>(all.size());
  half.files = std::make_shared<ImageFiles>(std::move(all), transform.resize, kImageCacheBytes);
  return half;
}

Result<void> same_classes(const std::vector<std::string>& train,
                          const std::vector<std::string>& test, const fs::path& folder) {
  for (const auto& name : test) {
    if (std::find(train.begin(), train.end(), name) == train.end()) {
      return failure((folder / name).string() +
                     ": a class that train does not have; remove or "
                     "rename the folder");
    }
  }
  for (const auto& name : train) {
    if (std::find(test.begin(), test.end(), name) == test.end()) {
      return failure((folder / name).string() +
                     ": expected this folder, for train has the class \"" + name + "\"");
    }
  }
  return {};
}

Result<TransformOptions> square_transform(const messages::DataSpec& spec, bool train) {
  TransformOptions transform = transform_of(spec, train);
  if (transform.crop == 0) transform.crop = transform.resize;
  // The smallest image after resizing is a square; all others are larger.
  const auto size = output_size(transform, {spec.resize, spec.resize});
  if (!size) return pass(size);
  return transform;
}

}  // namespace

Result<DatasetPair> open_image_folder(const messages::DataSpec& spec) {
  if (spec.resize == 0) {
    return bad_request(
        "data.name = \"image_folder\" needs data.resize, the shorter side of every image in "
        "pixels: images differ in size, those of a batch must not");
  }
  const fs::path root = spec.root;
  std::error_code ignored;
  const fs::path train = root / "train";
  const fs::path test = fs::is_directory(root / "test", ignored) ? root / "test" : root / "val";
  if (!fs::is_directory(train, ignored) || !fs::is_directory(test, ignored)) {
    return failure(
        "data set \"image_folder\" is not in " + root.string() +
        ": expected the folders train and test (or val), each with one folder per class; "
        "set data.root");
  }
  const auto classes = RINGSIDE_TRY(classes_in(train));
  const auto test_classes = RINGSIDE_TRY(classes_in(test));
  RINGSIDE_TRY(same_classes(classes, test_classes, test));
  DatasetPair pair;
  for (const bool is_train : {true, false}) {
    const auto transform = RINGSIDE_TRY(square_transform(spec, is_train));
    auto half = RINGSIDE_TRY(open_half(is_train ? train : test, classes, transform));
    (is_train ? pair.train : pair.test) = std::move(half);
  }
  return pair;
}

}  // namespace ringside::data
