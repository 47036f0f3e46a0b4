#include "gui/launch/preflight.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

#include "gui/launch/places.h"
#include "protocol/base/user_folders.h"
#include "protocol/messages/data_facts.h"

namespace ringside::launch {
namespace {

namespace fs = std::filesystem;

struct DataFile {
  const char* path;           ///< under the root
  std::uintmax_t size_bytes;  ///< unpacked
};

constexpr DataFile kMnist[] = {{"MNIST/raw/train-images-idx3-ubyte", 47'040'016},
                               {"MNIST/raw/train-labels-idx1-ubyte", 60'008},
                               {"MNIST/raw/t10k-images-idx3-ubyte", 7'840'016},
                               {"MNIST/raw/t10k-labels-idx1-ubyte", 10'008}};
constexpr DataFile kFashion[] = {{"FashionMNIST/raw/train-images-idx3-ubyte", 47'040'016},
                                 {"FashionMNIST/raw/train-labels-idx1-ubyte", 60'008},
                                 {"FashionMNIST/raw/t10k-images-idx3-ubyte", 7'840'016},
                                 {"FashionMNIST/raw/t10k-labels-idx1-ubyte", 10'008}};
constexpr DataFile kCifar[] = {{"cifar-10-batches-bin/data_batch_1.bin", 30'730'000},
                               {"cifar-10-batches-bin/data_batch_2.bin", 30'730'000},
                               {"cifar-10-batches-bin/data_batch_3.bin", 30'730'000},
                               {"cifar-10-batches-bin/data_batch_4.bin", 30'730'000},
                               {"cifar-10-batches-bin/data_batch_5.bin", 30'730'000},
                               {"cifar-10-batches-bin/test_batch.bin", 30'730'000}};

constexpr DataFile kCifar100[] = {{"cifar-100-binary/train.bin", 153'700'000},
                                  {"cifar-100-binary/test.bin", 30'740'000}};

std::span<const DataFile> files_of(const std::string& name) {
  if (name == "mnist") return kMnist;
  if (name == "fashion_mnist") return kFashion;
  if (name == "cifar10") return kCifar;
  if (name == "cifar100") return kCifar100;
  return {};
}

/// The trainer reads these as they were published.
constexpr std::pair<const char*, DataFile> kArchives[] = {
    {"cifar10", {"cifar-10-binary.tar.gz", 170'052'171}},
    {"cifar100", {"cifar-100-binary.tar.gz", 168'513'733}}};

bool has_archive(const std::string& name, const fs::path& root) {
  std::error_code error;
  for (const auto& [set, file] : kArchives) {
    if (set == name && fs::file_size(root / file.path, error) == file.size_bytes) return true;
  }
  return false;
}

Check check_image_folder(const std::string& title, const fs::path& root) {
  std::error_code ignored;
  const bool test =
      fs::is_directory(root / "test", ignored) || fs::is_directory(root / "val", ignored);
  if (test && fs::is_directory(root / "train", ignored))
    return {Verdict::kPass, title, root.string()};
  return {Verdict::kFail, title,
          root.string() +
              " lacks the folders train and test (or val), each with one folder per "
              "class; set data.root"};
}

// Empty when the file is good.
std::string problem_of(const fs::path& root, const DataFile& file) {
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

fs::path existing_ancestor(fs::path folder) {
  std::error_code ignored;
  folder = fs::absolute(folder, ignored);
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

std::string gigabytes(std::uint64_t bytes) {
  return std::to_string(bytes / 1'000'000'000) + "." + std::to_string(bytes / 100'000'000 % 10) +
         " GB";
}

// Painting needs a folder that can be written; a set that is there needs nothing.
Check check_generated(const std::string& title, const messages::DataSpec& data,
                      const fs::path& root) {
  const fs::path folder = root / messages::generated_folder_name(data.name, data.train_samples,
                                                                 data.test_samples, data.seed);
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return {Verdict::kPass, title, folder.string()};
  const fs::path place = existing_ancestor(root);
  const bool is_folder = fs::is_directory(place, ignored);
  if (is_folder && ::access(place.c_str(), W_OK | X_OK) == 0)
    return {Verdict::kPass, title, data.name + " is generated when it is missing"};
  return {Verdict::kFail, title,
          data.name + " would be generated in " + root.string() + ", but " + place.string() +
              (is_folder ? " cannot be written: " + std::string(std::strerror(errno))
                         : std::string(" is no folder")) +
              "; choose another place with data.root"};
}

Check check_programs() {
  for (const char* name : {"ringside-agent", "ringside-trainer"}) {
    if (const auto found = find_program(name); !found)
      return {Verdict::kFail, "Programs are there", found.error().message};
  }
  return {Verdict::kPass, "Programs are there", program_folder().string()};
}

}  // namespace

Check check_data(const messages::DataSpec& data) {
  const std::string title = "Data is there";
  if (data.name == "integers") return {Verdict::kPass, title, "numbers need no files"};
  const auto chosen = data.root.empty() ? default_data_folder() : Result<fs::path>(data.root);
  if (!chosen) return {Verdict::kFail, title, chosen.error().message};
  const fs::path& root = *chosen;
  if (data.name == "image_folder") return check_image_folder(title, root);
  const auto files = files_of(data.name);
  if (files.empty()) return check_generated(title, data, root);
  const fs::path folder = (root / files.front().path).parent_path();
  std::error_code ignored;
  if (!fs::exists(folder, ignored) && has_archive(data.name, root)) {
    return {Verdict::kPass, title, root.string()};
  }
  for (const DataFile& file : files) {
    if (const std::string problem = problem_of(root, file); !problem.empty()) {
      return {Verdict::kFail, title,
              problem + "; `ringside data get " + data.name +
                  (data.root.empty() ? "" : " --root " + data.root) +
                  "` fetches the files; or set data.root, or use data.name = \"" +
                  (data.name.starts_with("cifar") ? "shapes" : "digits") +
                  "\", which is generated"};
    }
  }
  return {Verdict::kPass, title, root.string()};
}

Check check_weights(const messages::RunSpec& spec) {
  const std::string title = "Files to begin from are there";
  const std::string& resume = spec.checkpoint.resume;
  const bool from_file = !resume.empty() && resume != "none" && resume != "auto";
  std::error_code ignored;
  for (const auto& [key, file] :
       {std::pair<std::string, std::string>{"model.init_from", spec.model.init_from},
        {"checkpoint.resume", from_file ? resume : ""}}) {
    if (file.empty() || fs::is_regular_file(file, ignored)) continue;
    return {
        Verdict::kFail, title,
        key + " = \"" + file +
            "\" is no file here; `ringside show RUN` names the folder of a run, its checkpoints "
            "lie in checkpoints"};
  }
  return {Verdict::kPass, title, ""};
}

Check check_folder(const fs::path& folder, std::uint64_t least_bytes) {
  const std::string title = "Run folder can be written";
  const fs::path place = existing_ancestor(folder);
  if (::access(place.c_str(), W_OK | X_OK) != 0) {
    return {Verdict::kFail, title,
            "cannot write into " + place.string() + ": " + std::strerror(errno) +
                "; choose another folder with --runs-dir or RINGSIDE_RUNS_DIR"};
  }
  std::error_code ignored;
  if (!fs::is_directory(place, ignored)) {
    return {Verdict::kFail, title,
            place.string() + " is no folder; choose another one with --runs-dir"};
  }
  struct statvfs space {};
  if (::statvfs(place.c_str(), &space) != 0) return {Verdict::kPass, title, place.string()};
  const std::uint64_t free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  const std::string found = gigabytes(free_bytes) + " free at " + place.string();
  if (free_bytes < least_bytes)
    return {Verdict::kFail, title, found + ", " + gigabytes(least_bytes) + " are needed at least"};
  if (free_bytes < 10 * least_bytes) return {Verdict::kWarning, title, found};
  return {Verdict::kPass, title, found};
}

Check check_gpus_idle(const Plan& plan, const Machine& machine) {
  const std::string title = "Selected GPUs are idle";
  const auto& ids = plan.runs.back().spec.devices.ids;
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.pids.empty() || std::find(ids.begin(), ids.end(), gpu.uuid) == ids.end()) continue;
    return {Verdict::kWarning, title,
            "process " + std::to_string(gpu.pids.front()) + " computes on GPU " +
                std::to_string(gpu.index) + " (" + gpu.name +
                "): times will be worse than they could be"};
  }
  return {Verdict::kPass, title, std::to_string(ids.size()) + " GPU(s)"};
}

std::vector<Check> preflight(const Plan& plan, const Machine& machine, const fs::path& runs_dir) {
  constexpr std::uint64_t kLeastBytes = 100'000'000;
  const auto& spec = plan.runs.back().spec;
  std::vector<Check> checks;
  if (spec.program.argv.empty()) {
    checks.push_back(check_programs());
    if (spec.model.name != "none") checks.push_back(check_data(spec.data));
    checks.push_back(check_weights(spec));
  }
  checks.push_back(check_folder(runs_dir, kLeastBytes));
  if (spec.devices.kind == "cuda") checks.push_back(check_gpus_idle(plan, machine));
  for (const auto& warning : plan.warnings) checks.push_back({Verdict::kWarning, "Plan", warning});
  return checks;
}

Result<void> refuse_failures(const std::vector<Check>& checks) {
  for (const auto& check : checks) {
    if (check.verdict == Verdict::kFail) return bad_request(check.detail);
  }
  return {};
}

}  // namespace ringside::launch
