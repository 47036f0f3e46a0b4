// Folders that are read for the chooser of files.
#include "gui/session/folder_listing.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <future>
#include <memory>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fs = std::filesystem;
using namespace ringside;
using namespace ringside::session;

TEST_CASE("a folder is listed with sizes and dates, links as what they lead to") {
  const TempFolder folder;
  folder.write("a.csv", "step\n");
  fs::create_directory(folder.path() / "sub");
  fs::create_directory_symlink(folder.path() / "sub", folder.path() / "link");
  fs::create_symlink("nowhere", folder.path() / "broken");
  auto listing = list_folder(folder.path().string() + "/");
  CHECK(listing.problem.empty());
  REQUIRE(listing.entries.size() == 4);
  std::ranges::sort(listing.entries, {}, &view::FolderEntry::name);
  CHECK(listing.entries[0].name == "a.csv");
  CHECK(listing.entries[0].bytes == 5);
  CHECK(listing.entries[0].changed_wall_ns > 0);
  CHECK(listing.entries[1].name == "broken");
  CHECK_FALSE(listing.entries[1].folder);
  CHECK(listing.entries[2].folder);
  CHECK(listing.entries[3].folder);
}

TEST_CASE("a dead disk below a folder is named, and hides none of the other entries") {
  const TempFolder folder;
  for (const char* name : {"a", "dead", "failing", "z"}) fs::create_directory(folder.path() / name);
  folder.write("file.csv", "step\n");
  auto ended = std::make_shared<std::promise<void>>();
  // Only the thread that is left alone waits for the end of the test.
  const Look look = [until = ended->get_future().share()](const char* path, struct stat& about) {
    const std::string name = fs::path(path).filename();
    if (name == "dead") until.wait();
    return name == "dead" || name == "failing" ? ENOTCONN : look_at(path, about);
  };
  auto listing = list_folder(folder.path().string() + "/", false, look);
  ended->set_value();
  CHECK(listing.problem.empty());
  REQUIRE(listing.entries.size() == 5);
  std::ranges::sort(listing.entries, {}, &view::FolderEntry::name);
  for (const view::FolderEntry& entry : listing.entries) {
    INFO(entry.name);
    const bool read = entry.name != "dead" && entry.name != "failing";
    CHECK(entry.folder == (entry.name != "file.csv"));
    CHECK(entry.problem.empty() == read);
    CHECK((entry.changed_wall_ns > 0) == read);
  }
  CHECK(listing.entries[1].problem == "its disk does not answer");
  CHECK(listing.entries[2].problem == "Transport endpoint is not connected");
}

TEST_CASE("a folder that is not there or cannot be read says why, and a new one can be made") {
  const TempFolder folder;
  const std::string gone = folder.path().string() + "/gone/";
  CHECK(list_folder(gone).problem == gone + " cannot be read: No such file or directory");
  CHECK(list_folder(gone, true).problem.empty());
  CHECK(fs::is_directory(gone));
  folder.write("file", "x");
  const std::string below = folder.path().string() + "/file/new/";
  CHECK(list_folder(below, true).problem == below + " cannot be made: Not a directory");
  if (::geteuid() == 0) return;  // root reads every folder
  fs::permissions(gone, fs::perms::none);
  CHECK(list_folder(gone).problem == gone + " cannot be read: Permission denied");
  fs::permissions(gone, fs::perms::owner_all);
}
