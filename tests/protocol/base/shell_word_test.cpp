// Commands that are copied into a terminal.
#include "protocol/base/shell_word.h"

#include "tests/support/catch.h"

using namespace ringside;

TEST_CASE("a word for a shell is quoted where it must be") {
  CHECK(shell_word("plain-1.0/x=y") == "plain-1.0/x=y");
  CHECK(shell_word("it's $(x)") == "'it'\\''s $(x)'");
  CHECK(shell_word("") == "''");
}
