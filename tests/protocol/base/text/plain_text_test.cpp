#include "protocol/base/text/plain_text.h"

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

TEST_CASE("text is parted at every separator, empty parts stay, and empty text has none") {
  CHECK(parts_of("a,b", ',') == std::vector<std::string_view>{"a", "b"});
  CHECK(parts_of(",a,,", ',') == std::vector<std::string_view>{"", "a", "", ""});
  CHECK(parts_of("a,b", ' ') == std::vector<std::string_view>{"a,b"});
  CHECK(parts_of("", ',').empty());
}
