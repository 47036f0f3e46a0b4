// Checks whether the files of a data set exist.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "gui/launch/paths.h"
#include "gui/launch/preflight/preflight.h"
#include "protocol/base/shell_word.h"
#include "protocol/host/user_folders.h"
#include "protocol/messages/data_catalog.h"
#include "protocol/messages/spec/data_facts.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;
using messages::DataSetDescriptor;
using messages::DataSource;
using messages::PublishedFile;
using messages::PublishedMember;

constexpr const char* kTitle = titles::kData;

/// The trainer can read these sets from the published archive.
bool has_archive(const DataSetDescriptor& set, const fs::path& root) {
  std::error_code error;
  const PublishedFile& file = set.files.front();
  return file.is_archive() && fs::file_size(root / file.path, error) == file.size_bytes;
}

Check check_image_folder(const fs::path& root) {
  std::error_code ignored;
  const bool test =
      fs::is_directory(root / "test", ignored) || fs::is_directory(root / "val", ignored);
  if (test && fs::is_directory(root / "train", ignored))
    return {Verdict::kPass, kTitle, root.string(), {}, {}};
  return {
      Verdict::kFail,
      kTitle,
      root.string() + " lacks the folders train and test (or val), each with one folder per class",
      "set data.root",
      {}};
}

// Empty if the file is as expected.
std::string problem_of(const fs::path& root, const PublishedMember& file) {
  std::error_code error;
  const fs::path plain = root / file.path;
  if (fs::exists(plain, error)) {
    const auto size = fs::file_size(plain, error);
    if (!error && size == file.size_bytes) return {};
    return plain.string() + " has " + std::to_string(size) + " bytes, expected " +
           std::to_string(file.size_bytes);
  }
  if (fs::exists(plain.string() + ".gz", error)) return {};
  return plain.string() + " (or .gz) is missing, expected " + std::to_string(file.size_bytes) +
         " bytes";
}

// Generating a set needs a writable folder; an existing set needs nothing.
Check check_generated(const messages::DataSpec& data, const fs::path& root) {
  const fs::path folder = root / messages::generated_folder_name(data.name, data.train_samples,
                                                                 data.test_samples, data.seed);
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return {Verdict::kPass, kTitle, folder.string(), {}, {}};
  const fs::path place = existing_ancestor(root);
  const bool is_folder = fs::is_directory(place, ignored);
  if (is_folder && ::access(place.c_str(), W_OK | X_OK) == 0)
    return {Verdict::kPass, kTitle, data.name + " is generated when it is missing", {}, {}};
  return {Verdict::kFail,
          kTitle,
          data.name + " would be generated in " + root.string() + ", but " + place.string() +
              (is_folder ? " cannot be written: " + std::string(std::strerror(errno))
                         : std::string(" is not a folder")),
          "choose another folder with data.root",
          {}};
}

Check check_published(const DataSetDescriptor& set, const messages::DataSpec& data,
                      const fs::path& root) {
  std::error_code ignored;
  if (!fs::exists(root / set.folder, ignored) && has_archive(set, root))
    return {Verdict::kPass, kTitle, root.string() + ", archive of the published size", {}, {}};
  for (const PublishedFile& file : set.files) {
    for (const PublishedMember& member : file.members) {
      const std::string problem = member.size_bytes == 0 ? "" : problem_of(root, member);
      if (problem.empty()) continue;
      return {Verdict::kFail, kTitle, problem,
              "set data.root, use data.name = \"" + messages::generated_stand_in(set) +
                  "\", which is generated, or fetch the files",
              "ringside data get " + set.name +
                  (data.root.empty() ? "" : " --root " + shell_word(data.root))};
    }
  }
  return {Verdict::kPass, kTitle, root.string() + ", every file of the published size", {}, {}};
}

}  // namespace

Check check_data(const messages::DataSpec& data) {
  const DataSetDescriptor* set = messages::find_data_set(data.name);
  if (set == nullptr)
    return {
        Verdict::kFail, kTitle, "no data set is called \"" + data.name + "\"", "set data.name", {}};
  if (set->source == DataSource::kNumbers)
    return {Verdict::kPass, kTitle, "numbers need no files", {}, {}};
  const auto chosen = data.root.empty() ? default_data_folder() : Result<fs::path>(data.root);
  if (!chosen) return {Verdict::kFail, kTitle, chosen.error().message, {}, {}};
  if (set->source == DataSource::kFolder) return check_image_folder(*chosen);
  return set->source == DataSource::kPublished ? check_published(*set, data, *chosen)
                                               : check_generated(data, *chosen);
}

}  // namespace ringside::launch
