#include "trainer/data/archive.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/trainer/data/tar_file.h"

using namespace ringside;
using namespace ringside::data;
using testing::TarEntry;

namespace {

const std::vector<ArchiveMember> kWanted{{"set/a.bin", 5}, {"set/b.bin", 3}, {"set/notes.txt", 0}};

std::filesystem::path tar_of(const TempFolder& folder, const std::vector<TarEntry>& entries) {
  const auto path = folder.path() / "set.tar.gz";
  testing::write_tar_gz(path, entries);
  return path;
}

std::string refusal(const std::vector<TarEntry>& entries) {
  const TempFolder folder;
  const auto path = tar_of(folder, entries);
  const auto target = folder.path() / "out/inner";
  std::filesystem::create_directories(target);
  const auto unpacked = unpack_archive(path, kWanted, target);
  REQUIRE_FALSE(unpacked);
  CHECK_FALSE(read_archive(path, kWanted));
  CHECK(unpacked.error().message.find("set.tar.gz") != std::string::npos);
  // Nothing may be written outside the folder.
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out/evil"));
  CHECK_FALSE(std::filesystem::exists("/tmp/ringside-evil"));
  return unpacked.error().message;
}

}  // namespace

TEST_CASE("only wanted members are read from an archive") {
  const TempFolder folder;
  const auto path = tar_of(folder, {{"set/", '5', ""},
                                    {"set/b.bin", '0', "xyz"},
                                    {"set/readme.html", '0', "not wanted"},
                                    {"./set/a.bin", '0', "12345"},
                                    {"set/notes.txt", '0', "any length"}});
  const auto members = read_archive(path, kWanted);
  if (!members) FAIL(members.error().message);
  CHECK(members->size() == 3);
  CHECK(members->at("set/a.bin") == std::vector<std::uint8_t>{'1', '2', '3', '4', '5'});
  const auto target = folder.path() / "out";
  std::filesystem::create_directories(target);
  REQUIRE(unpack_archive(path, kWanted, target));
  CHECK(std::filesystem::file_size(target / "set/a.bin") == 5);
  CHECK(std::filesystem::file_size(target / "set/notes.txt") == 10);
  CHECK_FALSE(std::filesystem::exists(target / "set/readme.html"));
}

TEST_CASE("S9: an archive with a link, an absolute path or dot-dot is refused") {
  const TarEntry good{"set/a.bin", '0', "12345"};
  CHECK(refusal({good, {"set/b.bin", '2', "", "/etc/passwd"}}).find("link") != std::string::npos);
  CHECK(refusal({good, {"set/b.bin", '1', "", "set/a.bin"}}).find("link") != std::string::npos);
  CHECK(refusal({{"/tmp/ringside-evil", '0', "evil"}, good}).find("absolute") != std::string::npos);
  CHECK(refusal({{"../evil", '0', "evil"}, good}).find("leaves its folder") != std::string::npos);
  CHECK(refusal({{"set/../../evil", '0', "evil"}}).find("leaves its folder") != std::string::npos);
  CHECK(refusal({{"set/pipe", '6', ""}}).find("neither a file nor a folder") != std::string::npos);
}

TEST_CASE("an archive with a missing, oversized or duplicate member is refused") {
  const TarEntry a{"set/a.bin", '0', "12345"};
  const TarEntry b{"set/b.bin", '0', "xyz"};
  CHECK(refusal({a}).find("\"set/b.bin\" is missing") != std::string::npos);
  CHECK(refusal({a, {"set/b.bin", '0', "xyz!"}}).find("4 bytes, expected 3") != std::string::npos);
  CHECK(refusal({a, a, b}).find("twice") != std::string::npos);
  CHECK(refusal({a, b, {"set/notes.txt", '0', std::string(70'000, 'x')}}).find("70000") !=
        std::string::npos);
}

TEST_CASE("a damaged archive is reported") {
  const TempFolder folder;
  const auto path = tar_of(folder, {{"set/a.bin", '0', "12345"}, {"set/b.bin", '0', "xyz"}});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto cut = read_archive(path, kWanted);
  REQUIRE_FALSE(cut);
  folder.write("set.tar.gz", std::string(5000, '!'));
  const auto noise = read_archive(path, kWanted);
  REQUIRE_FALSE(noise);
  CHECK(noise.error().message.find("fetch it again") != std::string::npos);
  CHECK_FALSE(read_archive(folder.path() / "none.tar.gz", kWanted));
}
