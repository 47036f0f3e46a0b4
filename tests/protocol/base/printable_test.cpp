// Promise S6: untrusted text is shown and cannot control the terminal.
#include "protocol/base/printable.h"

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("S6: control characters become visible, and other text is unchanged") {
  CHECK(printable_line("a\nb\tc\x1b[2Jd\x7f") == "a\\nb\\tc\\x1b[2Jd\\x7f");
  CHECK(printable_line("3.41× ok, 你好 🙂") == "3.41× ok, 你好 🙂");
  CHECK(printable_line(std::string_view("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("S6: Unicode marks that change the writing direction become visible") {
  CHECK(printable_line("gnp.\u202Eexe") == "gnp.\\u202eexe");
  CHECK(printable_line("\u2066x\u2069\u2028\u200F\u0085") ==
        "\\u2066x\\u2069\\u2028\\u200f\\u0085");
}

TEST_CASE("bytes that are not UTF-8 are shown one by one") {
  CHECK(printable_line("a\xff"
                       "b") == "a\\xffb");
  CHECK(printable_line("\xc3") == "\\xc3");
  CHECK(printable_line("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(printable_line("\xc0\xaf") == "\\xc0\\xaf");
}

TEST_CASE("invalid UTF-8 is detected") {
  CHECK(is_utf8("plain"));
  CHECK(is_utf8("3.41× 你好 🙂"));
  for (const char* wrong :
       {"\xff", "\xc3", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", "a\x80"})
    CHECK_FALSE(is_utf8(wrong));
}
