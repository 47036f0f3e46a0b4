// The installed manual: every topic keeps to the format, and every link has a target.
#include "gui/manual/manual.h"

#include <set>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::manual;

TEST_CASE("every topic of the manual keeps to the format, and every link has a target") {
  const auto manual = read_manual(manual_folder().value());
  REQUIRE(manual);
  for (const std::string& fault : faults(*manual)) FAIL_CHECK(fault);
  std::set<std::string> titles;
  for (const Page& page : manual->pages) {
    INFO(page.topic);
    CHECK(titles.insert(page.title).second);
    CHECK(page.about.ends_with('.'));
    CHECK(page.about.size() <= 160);
    CHECK(main_sections(page).size() > 1);
  }
}

TEST_CASE("topics are in the order in which a reader needs them, and unknown ones come last") {
  const TempFolder folder;
  folder.write("zebra.md", "# Z\n\nAbout.\n");
  folder.write("ssh.md",
               "# S\n\nAbout [it](zebra.md#none), [that](nowhere.md), [this](start.md).\n");
  folder.write("start.md", "# S\n\nAbout.\n");
  folder.write("FORMAT.md", "no topic");
  folder.write("notes.txt", "none either");
  const auto manual = read_manual(folder.path());
  REQUIRE(manual);
  CHECK(manual->topics() == std::vector<std::string>{"start", "ssh", "zebra"});
  CHECK(manual->find("ssh")->title == "S");
  CHECK(manual->find("FORMAT") == nullptr);
  const auto wrong = faults(*manual);
  REQUIRE(wrong.size() == 2);
  CHECK(wrong[0].find("zebra.md#none") != std::string::npos);
  CHECK(wrong[1].find("nowhere.md, which is not there") != std::string::npos);
}

TEST_CASE("a missing manual is reported with its folder") {
  const TempFolder folder;
  const auto missing = read_manual(folder.path() / "manual");
  REQUIRE(!missing);
  CHECK(missing.error().kind == ErrorKind::kFailure);
  CHECK(missing.error().message.find(folder.path().string()) != std::string::npos);
  CHECK(missing.error().message.find("RINGSIDE_ASSETS_DIR") != std::string::npos);
  const auto empty = read_manual(folder.path());
  REQUIRE(!empty);
  CHECK(empty.error().message.find("no topic") != std::string::npos);
}
