// Promise R12: the last lines of a program are found, whatever it wrote before and however it
// ended.
#include "protocol/host/text_tail.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using Lines = std::vector<std::string>;

TEST_CASE(
    "the last lines are returned oldest first, without empty ones, and the last needs no newline") {
  const TempFolder folder;
  folder.write("stderr", "one\n\ntwo\r\n\n  three");
  const auto path = folder.path() / "stderr";
  CHECK(last_lines(path, 2) == Lines{"two", "  three"});
  CHECK(last_lines(path, 9) == Lines{"one", "two", "  three"});
  CHECK(last_lines(path, 0).empty());
  folder.write("stderr", "\n\n");
  CHECK(last_lines(path, 2).empty());
  CHECK(last_lines(folder.path() / "none", 2).empty());
}

TEST_CASE("S6: last lines are bounded, cut between characters and made printable") {
  const TempFolder folder;
  folder.write("stderr", std::string(1000, 'x') + "\n\x1b[2Jred\a\n");
  const auto lines = last_lines(folder.path() / "stderr", 5);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == std::string(300, 'x') + "...");
  CHECK(lines[1] == "\\x1b[2Jred\\x07");
  std::string wide;
  while (wide.size() < 900) wide += "日";
  folder.write("stderr", wide);
  CHECK(last_lines(folder.path() / "stderr", 1)[0] == wide.substr(0, 300) + "...");
}

TEST_CASE("only the end of a large file is read, and it begins with a whole line") {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "line " + std::to_string(i) + "\n";
  folder.write("stderr", text);
  const auto lines = last_lines(folder.path() / "stderr", 1000, 100);
  REQUIRE(lines.size() >= 5);
  CHECK(lines.size() <= 10);
  CHECK(lines.back() == "line 9999");
  CHECK(lines.front().starts_with("line 9"));
}
