#include "protocol/base/text.h"

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("text loses the blanks and line ends around it, and nothing inside") {
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed(" \n").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("only letters of ASCII become small, other bytes stay as they are") {
  CHECK(lower_case("Step_1 \xC3\x84Z") == "step_1 \xC3\x84z");
}

TEST_CASE("lines lose their ends, empty ones stay, and the last needs no end") {
  CHECK(lines_of("a\n\nb\n") == std::vector<std::string_view>{"a", "", "b"});
  CHECK(lines_of("a\nb") == std::vector<std::string_view>{"a", "b"});
  CHECK(lines_of("\n") == std::vector<std::string_view>{""});
  CHECK(lines_of("").empty());
}

TEST_CASE("a whole number is all of the text, in its range") {
  CHECK(whole_number("-42") == -42);
  CHECK(whole_number<int>("ff", 16) == 255);
  for (const char* other : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "1e3"})
    CHECK_FALSE(whole_number(other));
  CHECK_FALSE(whole_number<std::uint32_t>("-1"));
  CHECK_FALSE(whole_number<std::uint32_t>("4294967296"));
}

TEST_CASE("text is parted at every separator, empty parts stay, and empty text has none") {
  CHECK(parts_of("a,b", ',') == std::vector<std::string_view>{"a", "b"});
  CHECK(parts_of(",a,,", ',') == std::vector<std::string_view>{"", "a", "", ""});
  CHECK(parts_of("a,b", ' ') == std::vector<std::string_view>{"a,b"});
  CHECK(parts_of("", ',').empty());
}
