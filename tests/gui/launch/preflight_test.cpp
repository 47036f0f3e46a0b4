// Missing and wrong data files, unwritable folders, and busy GPUs are told before anything starts.
#include "gui/launch/preflight.h"

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using launch::Verdict;

namespace {

messages::DataSpec mnist_in(const std::filesystem::path& root) {
  messages::DataSpec data;
  data.name = "mnist";
  data.root = root.string();
  return data;
}

void write_mnist(const TempFolder& folder) {
  for (const auto& [name, size] : {std::pair{"train-images-idx3-ubyte", 47'040'016},
                                   {"train-labels-idx1-ubyte", 60'008},
                                   {"t10k-images-idx3-ubyte", 7'840'016},
                                   {"t10k-labels-idx1-ubyte", 10'008}}) {
    const auto path = std::filesystem::path("MNIST/raw") / name;
    folder.write(path, "");
    std::filesystem::resize_file(folder.path() / path, static_cast<std::uintmax_t>(size));
  }
}

}  // namespace

TEST_CASE("a complete data set passes, plain or packed") {
  const TempFolder folder;
  write_mnist(folder);
  CHECK(launch::check_data(mnist_in(folder.path())).verdict == Verdict::kPass);
  std::filesystem::remove(folder.path() / "MNIST/raw/train-labels-idx1-ubyte");
  folder.write("MNIST/raw/train-labels-idx1-ubyte.gz", "packed");
  CHECK(launch::check_data(mnist_in(folder.path())).verdict == Verdict::kPass);
}

TEST_CASE("a missing or short data file is named with what was expected and found") {
  const TempFolder folder;
  write_mnist(folder);
  const auto labels = folder.path() / "MNIST/raw/t10k-labels-idx1-ubyte";
  std::filesystem::resize_file(labels, 10'000);
  const auto shorter = launch::check_data(mnist_in(folder.path()));
  CHECK(shorter.verdict == Verdict::kFail);
  CHECK(shorter.detail.find("t10k-labels-idx1-ubyte has 10000 bytes, expected 10008") !=
        std::string::npos);
  std::filesystem::remove(labels);
  const auto missing = launch::check_data(mnist_in(folder.path()));
  CHECK(missing.verdict == Verdict::kFail);
  CHECK(missing.detail.find("missing") != std::string::npos);
  CHECK(missing.detail.find("digits") != std::string::npos);
}

TEST_CASE("generated data needs no files, but a place to make them or the set itself") {
  const TempFolder folder;
  messages::DataSpec data;
  data.name = "shapes";
  data.root = (folder.path() / "not/yet/made").string();
  CHECK(launch::check_data(data).verdict == Verdict::kPass);
  folder.write("file", "in the way");
  data.root = (folder.path() / "file/below").string();
  const auto refused = launch::check_data(data);
  CHECK(refused.verdict == Verdict::kFail);
  CHECK(refused.detail.find("data.root") != std::string::npos);
  CHECK(refused.detail.find("is no folder") != std::string::npos);
  data.name = "integers";
  CHECK(launch::check_data(data).verdict == Verdict::kPass);
}

TEST_CASE("a published archive of CIFAR serves without being unpacked") {
  const TempFolder folder;
  messages::DataSpec data;
  data.name = "cifar10";
  data.root = folder.path();
  CHECK(launch::check_data(data).verdict == Verdict::kFail);
  folder.write("cifar-10-binary.tar.gz", "");
  CHECK(launch::check_data(data).verdict == Verdict::kFail);
  std::filesystem::resize_file(folder.path() / "cifar-10-binary.tar.gz", 170'052'171);
  CHECK(launch::check_data(data).verdict == Verdict::kPass);
}

TEST_CASE("an image folder needs train, and test or val") {
  const TempFolder folder;
  messages::DataSpec data;
  data.name = "image_folder";
  data.root = folder.path();
  std::filesystem::create_directories(folder.path() / "train/cat");
  const auto missing = launch::check_data(data);
  CHECK(missing.verdict == Verdict::kFail);
  CHECK(missing.detail.find("test (or val)") != std::string::npos);
  std::filesystem::create_directories(folder.path() / "val/cat");
  CHECK(launch::check_data(data).verdict == Verdict::kPass);
}

TEST_CASE("the run folder: not yet made, no folder, and too small a disk") {
  const TempFolder folder;
  CHECK(launch::check_folder(folder.path() / "not/yet/made", 1).verdict != Verdict::kFail);
  folder.write("file", "x");
  const auto file = launch::check_folder(folder.path() / "file", 1);
  CHECK(file.verdict == Verdict::kFail);
  CHECK(file.detail.find("--runs-dir") != std::string::npos);
  CHECK(launch::check_folder(folder.path(), ~std::uint64_t{0}).verdict == Verdict::kFail);
}

TEST_CASE("R13: a GPU that others compute on is a warning with the process named") {
  launch::Machine machine;
  machine.gpus.resize(2);
  machine.gpus[0].uuid = "GPU-0";
  machine.gpus[1].uuid = "GPU-1";
  machine.gpus[1].pids = {4711};
  launch::Plan plan;
  plan.runs.resize(1);
  plan.runs[0].spec.devices.ids = {"GPU-0"};
  CHECK(launch::check_gpus_idle(plan, machine).verdict == Verdict::kPass);
  plan.runs[0].spec.devices.ids = {"GPU-1"};
  const auto busy = launch::check_gpus_idle(plan, machine);
  CHECK(busy.verdict == Verdict::kWarning);
  CHECK(busy.detail.find("4711") != std::string::npos);
}

TEST_CASE("the first failure becomes the error, warnings do not") {
  CHECK(launch::refuse_failures({{Verdict::kWarning, "a", "b"}}));
  const auto refused =
      launch::refuse_failures({{Verdict::kPass, "a", "b"}, {Verdict::kFail, "c", "what to do"}});
  REQUIRE(!refused);
  CHECK(refused.error().message == "what to do");
}
