// `ringside data` as people use it: exit codes, and the contents of both output streams.
#include <filesystem>
#include <fstream>

#include "tests/integration/cli/cli_rig.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

using namespace ringside;
using namespace ringside::testing;
namespace fs = std::filesystem;

namespace {

launch::Captured data(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {(bin_dir() / "ringside").string(), "data"});
  auto captured = launch::capture(arguments, kPatienceNs);
  if (!captured) FAIL(captured.error().message);
  return *captured;
}

// Creates the files of MNIST with the right sizes but without contents.
void lay_out_mnist(const fs::path& root) {
  fs::create_directories(root / "MNIST/raw");
  const auto file = [&](const char* name, std::uintmax_t size) {
    std::ofstream(root / "MNIST/raw" / name).close();
    fs::resize_file(root / "MNIST/raw" / name, size);
  };
  file("train-images-idx3-ubyte", 47'040'016);
  file("train-labels-idx1-ubyte", 60'008);
  file("t10k-images-idx3-ubyte", 7'840'016);
  file("t10k-labels-idx1-ubyte", 10'008);
}

}  // namespace

TEST_CASE("data get does nothing for an existing set") {
  const TempFolder root;
  lay_out_mnist(root.path());
  const auto quiet = data({"get", "mnist", "--root", root.path()});
  CHECK(quiet.exit_code == 0);
  CHECK(quiet.output == (root.path() / "MNIST/raw").string() + "\n");
  const auto json = data({"get", "mnist", "--json", "--root", root.path()});
  CHECK(json.exit_code == 0);
  const auto object = last_line_json(json.output);
  CHECK(object["state"] == "present");
  CHECK(object["downloaded_bytes"] == 0);
  CHECK(object["folder"] == (root.path() / "MNIST/raw").string());
}

TEST_CASE("data get exits with 1 if no mirror has the set, and prints each mirror's answer") {
  const TempFolder root;
  const std::string mirror = "file://" + (root.path() / "shelf").string();
  const auto failed = data({"get", "cifar100", "--root", root.path(), "--mirror", mirror});
  INFO(failed.errors);
  CHECK(failed.exit_code == 1);
  CHECK(failed.output.empty());
  CHECK(failed.errors.find(mirror + "/cifar-100-binary.tar.gz") != std::string::npos);
  // Progress is shown only on terminals.
  CHECK(failed.errors.find('\r') == std::string::npos);
}

TEST_CASE("data get verifies the files from a mirror") {
  const TempFolder root;
  root.write("shelf/mnist/train-images-idx3-ubyte.gz", "not the images");
  const std::string mirror = "file://" + (root.path() / "shelf/{name}").string();
  const auto failed = data({"get", "mnist", "--root", root.path() / "data", "--mirror", mirror});
  INFO(failed.errors);
  CHECK(failed.exit_code == 1);
  CHECK(failed.errors.find("no mirror gave train-images-idx3-ubyte.gz") != std::string::npos);
  CHECK_FALSE(fs::exists(root.path() / "data/MNIST/raw/train-images-idx3-ubyte"));
}

TEST_CASE("invalid requests to data exit with 2 and say what is valid") {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& hint) {
    const auto captured = data(arguments);
    INFO(captured.errors);
    CHECK(captured.exit_code == 2);
    CHECK(captured.output.empty());
    CHECK(captured.errors.find(hint) != std::string::npos);
  };
  refused({}, "subcommand");
  refused({"get"}, "NAME");
  refused({"get", "imagenet"}, "cifar100");
  refused({"get", "digits"}, "ringside data make digits");
  refused({"get", "mnist", "--mirror", "example.org"}, "https://");
  refused({"make", "mnist"}, "digits, shapes");
  refused({"make", "digits", "--samples", "0"}, "1 to 1000000");
}

TEST_CASE("data and its commands have help") {
  const auto help = data({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.output.find("Usage: ringside data") != std::string::npos);
  CHECK(data({"get", "--help"}).output.find("--mirror") != std::string::npos);
}

TEST_CASE("data make generates a set of any size and prints its folder") {
  const TempFolder root;
  const auto made =
      data({"make", "digits", "--samples", "7", "--test-samples", "3", "--root", root.path()});
  INFO(made.errors);
  CHECK(made.exit_code == 0);
  CHECK(made.output == (root.path() / "digits-7-3-0").string() + "\n");
  CHECK(fs::file_size(root.path() / "digits-7-3-0/MNIST/raw/train-images-idx3-ubyte") ==
        16 + 7 * 784);
}

TEST_CASE("data exits with 1 and an error if it cannot print its answer") {
  const TempFolder root;
  lay_out_mnist(root.path());
  const std::string here = " --root '" + root.path().string() + "' >/dev/full";
  for (const std::string& command :
       {"make digits --samples 20 --test-samples 10" + here, "get mnist" + here,
        "get mnist --json" + here, std::string("--help >/dev/full"),
        std::string("--version >/dev/full")}) {
    const auto full = launch::capture(
        {"/bin/sh", "-c", "exec \"$0\" data " + command, (bin_dir() / "ringside").string()},
        kPatienceNs);
    REQUIRE(full);
    INFO(command << ": " << full->errors);
    CHECK(full->exit_code == 1);
    CHECK(full->errors.find("cannot write to standard output") != std::string::npos);
  }
}
