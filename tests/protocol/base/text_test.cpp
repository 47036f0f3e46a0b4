#include "protocol/base/text.h"

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("only blanks and line ends around a text are trimmed") {
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed(" \n").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("only ASCII letters are changed to lower case") {
  CHECK(lower_case("Step_1 \xC3\x84Z") == "step_1 \xC3\x84z");
}

TEST_CASE("lines lose their line ends, empty lines are kept, and the last line needs no end") {
  CHECK(lines_of("a\n\nb\n") == std::vector<std::string_view>{"a", "", "b"});
  CHECK(lines_of("a\nb") == std::vector<std::string_view>{"a", "b"});
  CHECK(lines_of("\n") == std::vector<std::string_view>{""});
  CHECK(lines_of("").empty());
}

TEST_CASE("a whole number must be all of the text and in its range") {
  CHECK(whole_number("-42") == -42);
  CHECK(whole_number<int>("ff", 16) == 255);
  for (const char* other : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "1e3"})
    CHECK_FALSE(whole_number(other));
  CHECK_FALSE(whole_number<std::uint32_t>("-1"));
  CHECK_FALSE(whole_number<std::uint32_t>("4294967296"));
}

TEST_CASE("text is split at every separator, empty parts are kept, and empty text has no parts") {
  CHECK(parts_of("a,b", ',') == std::vector<std::string_view>{"a", "b"});
  CHECK(parts_of(",a,,", ',') == std::vector<std::string_view>{"", "a", "", ""});
  CHECK(parts_of("a,b", ' ') == std::vector<std::string_view>{"a,b"});
  CHECK(parts_of("", ',').empty());
}
