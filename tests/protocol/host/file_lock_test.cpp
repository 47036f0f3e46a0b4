#include "protocol/host/file_lock.h"

#include <sys/stat.h>

#include <optional>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a lock of a file or folder has one owner at a time") {
  const TempFolder folder;
  for (const fs::path& path : {folder.path() / "lock", folder.path()}) {
    auto first = FileLock::try_take(path);
    REQUIRE(first);
    REQUIRE(*first);
    CHECK_FALSE(FileLock::try_take(path).value());
    int asked = 0;
    CHECK_FALSE(
        FileLock::take_within(path, 3'600'000'000'000, [&] { return ++asked == 3; }).value());
    CHECK(asked == 3);
    CHECK_FALSE(FileLock::take_within(path, 0).value());
    const FileLock moved = std::move(**first);
    CHECK((*first)->descriptor() < 0);
    CHECK_FALSE(FileLock::try_take(path).value());
  }
  bool waited = false;
  CHECK(FileLock::take(folder.path() / "lock", [&] { waited = true; }));
  CHECK_FALSE(waited);
  struct stat made {};
  REQUIRE(::stat((folder.path() / "lock").c_str(), &made) == 0);
  CHECK((made.st_mode & 0777U) == 0600U);
}

TEST_CASE("a caller that waits for the lock is notified, and gets it when the owner releases it") {
  const TempFolder folder;
  const fs::path path = folder.path() / "lock";
  std::optional<FileLock> first = FileLock::try_take(path).value();
  REQUIRE(first);
  const auto second = FileLock::take(path, [&] { first.reset(); });
  REQUIRE(second);
  CHECK_FALSE(FileLock::try_take(path).value());
}

TEST_CASE("a lock whose file was deleted has no owner") {
  const TempFolder folder;
  const fs::path path = folder.path() / "lock";
  const auto old = FileLock::try_take(path).value();
  fs::remove(path);
  CHECK(FileLock::try_take(path).value());
}

TEST_CASE("a link is not followed, and a path that cannot be locked is an error") {
  const TempFolder folder;
  fs::create_symlink(folder.path() / "elsewhere", folder.path() / "link");
  CHECK_FALSE(FileLock::try_take(folder.path() / "link"));
  const auto none = FileLock::take(folder.path() / "none" / "lock");
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "cannot lock " + (folder.path() / "none" / "lock").string() +
                                    ": No such file or directory");
}

}  // namespace
}  // namespace ringside
