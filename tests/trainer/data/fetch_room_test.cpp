// Problems with the disk and other processes, and facts about the published sets.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/data/http_server.h"
#include "trainer/data/fetch/fetch.h"
#include "trainer/data/fetch/fetch_progress.h"
#include "trainer/data/fetch/sha256.h"

using namespace ringside;
using namespace ringside::data;
using testing::HttpReply;
using testing::HttpRequest;
using testing::HttpServer;
namespace fs = std::filesystem;

namespace {

// "hello\n" as a gzip file.
const std::string kPacked(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00"
    "\x20\x30\x3a\x36\x06\x00\x00\x00",
    26);

DataSetDescriptor hello_set(const TempFolder& folder) {
  folder.write("hello.gz", kPacked);
  const auto sum = sha256_of(folder.path() / "hello.gz");
  if (!sum) FAIL(sum.error().message);
  DataSetDescriptor set;
  set.name = "hello";
  set.folder = "Hello";
  set.files = {{"Hello/hello.gz", kPacked.size(), *sum, {{"Hello/hello", 6}}}};
  return set;
}

FetchOptions options_of(const fs::path& root, const std::string& mirror) {
  FetchOptions options;
  options.root = root;
  options.mirrors = {mirror};
  return options;
}

}  // namespace

TEST_CASE("the checksum of a file is its SHA-256") {
  const TempFolder folder;
  folder.write("abc", "abc");
  // FIPS 180-2, appendix B.1.
  CHECK(*sha256_of(folder.path() / "abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK_FALSE(sha256_of(folder.path() / "none"));
}

TEST_CASE("too little disk space is reported before downloading") {
  const TempFolder folder;
  DataSetDescriptor set = hello_set(folder);
  set.files[0].members[0].size_bytes = std::uint64_t{1} << 60;
  const HttpServer server([&](const HttpRequest&) { return HttpReply{200, kPacked}; });
  const auto result = fetch(set, options_of(folder.path() / "root", server.url()));
  REQUIRE_FALSE(result);
  CHECK(result.error().message.find("not enough room") != std::string::npos);
  CHECK(server.requests().empty());
}

TEST_CASE("a disk that fills up ends the download with the reason") {
  const TempFolder folder;
  const DataSetDescriptor set = hello_set(folder);
  fs::create_directories(folder.path() / "root/.hello.fetching");
  fs::create_symlink("/dev/full", folder.path() / "root/.hello.fetching/hello.gz");
  const HttpServer server([&](const HttpRequest&) { return HttpReply{200, kPacked}; });
  const auto result = fetch(set, options_of(folder.path() / "root", server.url()));
  REQUIRE_FALSE(result);
  CHECK(result.error().message.find("No space left") != std::string::npos);
  CHECK(result.error().message.find("--root") != std::string::npos);
}

TEST_CASE("a folder that cannot be created or written is reported") {
  const TempFolder folder;
  const DataSetDescriptor set = hello_set(folder);
  folder.write("file", "");
  for (const fs::path& root : {folder.path() / "file", fs::path("/proc/ringside-data")}) {
    const auto result = fetch(set, options_of(root, "http://127.0.0.1:9/"));
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::kFailure);
    CHECK(result.error().message.find(root.string()) != std::string::npos);
    CHECK(result.error().message.find("--root") != std::string::npos);
  }
}

TEST_CASE("one of two processes downloads while the other waits") {
  const TempFolder folder;
  const DataSetDescriptor set = hello_set(folder);
  int address[2];
  int waiting[2];
  REQUIRE(::pipe(address) == 0);
  REQUIRE(::pipe(waiting) == 0);
  const auto run = [&](const std::string& url) {
    FetchOptions options = options_of(folder.path() / "root", url);
    options.note = [&](const std::string& line) {
      const bool told = line.find("another process") != std::string::npos;
      if (told && ::write(waiting[1], "w", 1) != 1) std::abort();
    };
    return fetch(set, options);
  };
  const pid_t other = ::fork();
  REQUIRE(other >= 0);
  if (other == 0) {
    char url[256] = {};
    if (::read(address[0], url, sizeof url - 1) <= 0) ::_exit(9);
    const auto result = run(url);
    ::_exit(!result ? 1 : result->was_there ? 20 : 10);
  }
  // The first process is delayed until the other says that it waits.
  bool met = false;
  Result<Fetched> own = failure("not run");
  std::size_t requests = 0;
  {
    const HttpServer server([&](const HttpRequest&) {
      pollfd ready{waiting[0], POLLIN, 0};
      met = ::poll(&ready, 1, 30'000) == 1;
      return HttpReply{200, kPacked};
    });
    const std::string url = server.url();
    REQUIRE(::write(address[1], url.data(), url.size()) == static_cast<ssize_t>(url.size()));
    own = run(url);
    int status = 0;
    REQUIRE(::waitpid(other, &status, 0) == other);
    REQUIRE(WIFEXITED(status));
    if (!own) FAIL(own.error().message);
    CHECK(WEXITSTATUS(status) == (own->was_there ? 10 : 20));
    requests = server.requests().size();
  }
  CHECK(met);
  CHECK(requests == 1);
  for (const int fd : {address[0], address[1], waiting[0], waiting[1]}) ::close(fd);
}

TEST_CASE("every published set is found, with checksums and sizes") {
  for (const auto& name : messages::data_set_names(messages::DataSource::kPublished)) {
    INFO(name);
    const auto found = find_published(name);
    REQUIRE(found);
    const DataSetDescriptor& set = *found;
    CHECK_FALSE(set.mirrors.empty());
    for (const PublishedFile& file : set.files) {
      CHECK(file.sha256.size() == 64);
      CHECK(file.sha256.find_first_not_of("0123456789abcdef") == std::string::npos);
      CHECK(file.size_bytes > 0);
      CHECK(file.members.front().size_bytes > file.size_bytes / 10);
    }
  }
  CHECK(find_published("mnist")->files[0].members[0].size_bytes == 47'040'016);
  CHECK(find_published("fashion_mnist")->files[3].members[0].size_bytes == 10'008);
}

TEST_CASE("a generated set is not downloaded") {
  const auto digits = find_published("digits");
  REQUIRE_FALSE(digits);
  CHECK(digits.error().kind == ErrorKind::kRequest);
  CHECK(digits.error().message.find("data make digits") != std::string::npos);
  const auto unknown = find_published("imagenet");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("cifar100") != std::string::npos);
}

TEST_CASE("mirrors in the environment are separated by spaces") {
  ::setenv("RINGSIDE_DATA_MIRRORS", " http://a/  file:///b ", 1);
  CHECK(mirrors_of_environment() == std::vector<std::string>{"http://a/", "file:///b"});
  ::unsetenv("RINGSIDE_DATA_MIRRORS");
  CHECK(mirrors_of_environment().empty());
}

TEST_CASE("the progress line has size, percentage, speed and remaining time") {
  constexpr std::uint64_t kMib = 1 << 20;
  CHECK(progress_line("f.gz", 0, 100 * kMib, 0, 0.0) == "f.gz  0.0 of 100.0 MiB  0 %");
  CHECK(progress_line("f.gz", 50 * kMib, 100 * kMib, 30 * kMib, 4.0) ==
        "f.gz  50.0 of 100.0 MiB  50 %  5.0 MiB/s  10 s left");
}
