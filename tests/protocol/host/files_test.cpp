#include "protocol/host/files.h"

#include <sys/stat.h>

#include <array>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

unsigned mode_of(const std::filesystem::path& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777U;
}

TEST_CASE("reading a pipe, a folder or a device fails at once") {
  const TempFolder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::filesystem::path& path :
       {pipe, folder.path(), std::filesystem::path("/dev/zero")}) {
    const auto file = open_file(path, OpenMode::kRead);
    REQUIRE_FALSE(file);
    CHECK(file.error().message == "cannot read " + path.string() + ": it is not a regular file");
    CHECK_FALSE(read_text(path));
  }
}

TEST_CASE("a file is appended to, read at offsets and truncated") {
  const TempFolder folder;
  auto file = open_file(folder.path() / "f", OpenMode::kCreateNew);
  REQUIRE(file);
  REQUIRE((*file)->append(bytes_of("hello ")));
  REQUIRE((*file)->append(bytes_of("world")));
  REQUIRE((*file)->append({}));
  CHECK(*(*file)->size() == 11);
  std::array<std::byte, 20> into{};
  CHECK(*(*file)->read_at(6, into) == 5);
  CHECK(static_cast<char>(into[0]) == 'w');
  CHECK(*(*file)->read_at(11, into) == 0);
  CHECK(*(*file)->read_at(1000, into) == 0);
  CHECK(*(*file)->read_at(0, std::span(into).first(3)) == 3);
  REQUIRE((*file)->truncate(5));
  REQUIRE((*file)->append(bytes_of("!")));
  REQUIRE((*file)->sync());
  CHECK(*read_text(folder.path() / "f") == "hello!");
  CHECK(mode_of(folder.path() / "f") == 0600U);
}

TEST_CASE("each open mode handles existing and missing files as documented") {
  const TempFolder folder;
  const auto path = folder.path() / "f";
  CHECK_FALSE(open_file(path, OpenMode::kRead));
  REQUIRE(open_file(path, OpenMode::kAppend));
  CHECK_FALSE(open_file(path, OpenMode::kCreateNew));
  auto reading = open_file(path, OpenMode::kRead);
  REQUIRE(reading);
  const auto written = (*reading)->append(bytes_of("x"));
  REQUIRE_FALSE(written);
  CHECK(written.error().message.find(path.string()) != std::string::npos);
  CHECK_FALSE((*reading)->truncate(0));
}

TEST_CASE("text is replaced as a whole, with the requested mode") {
  const TempFolder folder;
  const auto path = folder.path() / "t";
  REQUIRE(write_text_atomically(path, "first"));
  CHECK(mode_of(path) == 0600U);
  REQUIRE(write_text_atomically(path, "second", 0644));
  CHECK(*read_text(path) == "second");
  CHECK(mode_of(path) == 0644U);
  CHECK_FALSE(write_text_atomically(folder.path() / "missing" / "t", "x"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ++files;
  CHECK(files == 1);  // nothing left beside it
}

TEST_CASE("a file above the limit is not read into memory") {
  const TempFolder folder;
  folder.write("big", std::string(1001, 'x'));
  CHECK(read_text(folder.path() / "big", 1001)->size() == 1001);
  const auto text = read_text(folder.path() / "big", 1000);
  REQUIRE_FALSE(text);
  CHECK(text.error().message.find("1001") != std::string::npos);
}

}  // namespace
}  // namespace ringside
