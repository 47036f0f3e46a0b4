// Tables, truncation and escaping for the terminal.
#include "gui/cli/print/terminal.h"

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::cli;

TEST_CASE("the width counts characters, not bytes and not color sequences") {
  CHECK(shown_width("abc") == 3);
  CHECK(shown_width("3.41×") == 5);
  CHECK(shown_width(painted("–", view::Tone::kError, true)) == 1);
  CHECK(painted("x", view::Tone::kError, false) == "x");
}

TEST_CASE(
    "truncated text keeps its color sequences complete, so that the next line is not colored") {
  CHECK(cut_to("3.41× faster", 5) == "3.41×");
  const auto cut = cut_to(painted("finished", view::Tone::kOk, true) + " and more", 3);
  CHECK(shown_width(cut) == 3);
  CHECK(cut.ends_with("\x1b[0m"));
}

TEST_CASE("S6: free text cannot steer the terminal") {
  CHECK(one_line("a\nb\tc\x1b[2Jd\x7f") == "a\\nb\\tc\\x1b[2Jd\\x7f");
  CHECK(one_line("3.41× ok") == "3.41× ok");
}
