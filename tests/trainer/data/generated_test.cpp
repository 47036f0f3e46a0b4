#include "trainer/data/generated.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/data/cifar.h"
#include "trainer/data/file_bytes.h"
#include "trainer/data/idx.h"

using namespace ringside;
using namespace ringside::data;
namespace fs = std::filesystem;

namespace {

GeneratedSpec digits(std::int64_t train = 60, std::int64_t test = 12, std::int64_t seed = 5) {
  return {"digits", train, test, seed};
}

fs::path made(const GeneratedSpec& spec, const fs::path& root) {
  const auto folder = ensure_generated(spec, root);
  if (!folder) FAIL(folder.error().message);
  return *folder;
}

ino_t inode_of(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

// Waits at `gate`, generates the set and sends the inode of its manifest.
[[noreturn]] void child(int gate, int answer, const fs::path& root) {
  char byte = 0;
  bool good = ::read(gate, &byte, 1) == 0;  // end of file: the parent has closed its end
  const auto folder = ensure_generated(digits(2000, 100), root);
  const ino_t inode = folder ? inode_of(*folder / "manifest.toml") : 0;
  good = good && ::write(answer, &inode, sizeof inode) == sizeof inode;
  ::_exit(good ? 0 : 1);
}

}  // namespace

TEST_CASE("digits are a readable MNIST that is reused the next time") {
  const TempFolder root;
  const fs::path folder = made(digits(), root.path());
  CHECK(folder == root.path() / "digits-60-12-5");
  const auto set = read_mnist(folder / "MNIST/raw");
  REQUIRE(set);
  CHECK(set->train.count == 60);
  CHECK(set->test.count == 12);
  const ino_t before = inode_of(folder / "manifest.toml");
  CHECK(made(digits(), root.path()) == folder);
  CHECK(inode_of(folder / "manifest.toml") == before);
  CHECK_FALSE(fs::exists(folder.string() + ".part"));
}

TEST_CASE("shapes are a readable CIFAR-10") {
  const TempFolder root;
  const fs::path folder = made({"shapes", 23, 4, 0}, root.path());
  const auto set = read_cifar(cifar10_format(), folder / "cifar-10-batches-bin");
  REQUIRE(set);
  CHECK(set->train.count == 23);
  CHECK(set->test.count == 4);
}

TEST_CASE("all ten labels are about equally frequent") {
  const TempFolder root;
  const auto set = read_mnist(made(digits(1000, 10), root.path()) / "MNIST/raw");
  REQUIRE(set);
  std::array<int, 10> counts{};
  for (const std::int64_t label : set->train.labels) ++counts[static_cast<std::size_t>(label)];
  for (const int count : counts) {
    CHECK(count > 65);
    CHECK(count < 140);
  }
}

TEST_CASE("an image depends on the seed, not on the number of images") {
  const TempFolder root;
  const auto small = read_mnist(made(digits(20, 5), root.path()) / "MNIST/raw");
  const auto large = read_mnist(made(digits(60, 5), root.path()) / "MNIST/raw");
  const auto other = read_mnist(made(digits(20, 5, 6), root.path()) / "MNIST/raw");
  REQUIRE((small && large && other));
  const auto& images = small->train.images;
  CHECK(std::equal(images.begin(), images.end(), large->train.images.begin()));
  CHECK(small->test.images == large->test.images);
  CHECK(images != other->train.images);
  CHECK_FALSE(std::equal(small->test.images.begin(), small->test.images.end(), images.begin()));
}

TEST_CASE("a damaged or older set is generated again") {
  const TempFolder root;
  const fs::path folder = made(digits(), root.path());
  const fs::path images = folder / "MNIST/raw/train-images-idx3-ubyte";
  const auto before = read_bytes(images);
  REQUIRE(before);

  SECTION("truncated") { fs::resize_file(images, 1000); }
  SECTION("pixels inverted, of the same size") {
    std::fstream file(images, std::ios::binary | std::ios::in | std::ios::out);
    for (std::size_t at = 16; at < before->size(); ++at) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(static_cast<char>(255 - (*before)[at]));
    }
  }
  SECTION("a missing file") { fs::remove(folder / "MNIST/raw/t10k-labels-idx1-ubyte"); }
  SECTION("another generator version") {
    root.write("digits-60-12-5/manifest.toml", "painter_version = 0\n");
  }
  SECTION("a draft of a dead process") {
    fs::remove_all(folder);
    root.write("digits-60-12-5.part/MNIST/raw/junk", "junk");
  }
  made(digits(), root.path());
  const auto after = read_bytes(images);
  REQUIRE(after);
  CHECK(*after == *before);
  CHECK_FALSE(fs::exists(folder / "MNIST/raw/junk"));
}

TEST_CASE("processes that request a set at once get one, generated once") {
  const TempFolder root;
  std::array<int, 2> gate{};
  std::array<int, 2> answers{};
  REQUIRE(::pipe(gate.data()) == 0);
  REQUIRE(::pipe(answers.data()) == 0);
  constexpr int kProcesses = 4;
  std::array<pid_t, kProcesses> pids{};
  for (pid_t& pid : pids) {
    pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      ::close(gate[1]);
      child(gate[0], answers[1], root.path());
    }
  }
  ::close(gate[1]);
  std::set<ino_t> inodes;
  for (const pid_t pid : pids) {
    int status = -1;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
    ino_t inode = 0;
    REQUIRE(::read(answers[0], &inode, sizeof inode) == sizeof inode);
    inodes.insert(inode);
  }
  for (const int fd : {gate[0], answers[0], answers[1]}) ::close(fd);
  CHECK(inodes.size() == 1);
  CHECK(inodes.count(0) == 0);
  CHECK(read_mnist(root.path() / "digits-2000-100-5/MNIST/raw"));
}

TEST_CASE("a set that cannot be generated is refused") {
  const TempFolder root;
  for (const GeneratedSpec& spec : {GeneratedSpec{"mnist", 1, 1, 0}, digits(0), digits(1, 0),
                                    digits(1'000'001), GeneratedSpec{"../digits", 1, 1, 0}}) {
    const auto folder = ensure_generated(spec, root.path());
    REQUIRE_FALSE(folder);
    CHECK(folder.error().kind == ErrorKind::kRequest);
  }
  CHECK(fs::is_empty(root.path()));
}

TEST_CASE("a root that cannot be written is reported") {
  const TempFolder root;
  root.write("file", "");
  const auto folder = ensure_generated(digits(), root.path() / "file" / "below");
  REQUIRE_FALSE(folder);
  CHECK(folder.error().message.find("file/below") != std::string::npos);
}

TEST_CASE("without a root the set is generated in the user's cache folder") {
  const TempFolder cache;
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string saved = before != nullptr ? before : "";
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  const auto folder = ensure_generated(digits(), "");
  before != nullptr ? ::setenv("XDG_CACHE_HOME", saved.c_str(), 1) : ::unsetenv("XDG_CACHE_HOME");
  REQUIRE(folder);
  CHECK(*folder == cache.path() / "ringside/data/digits-60-12-5");
}
