// Commands to copy into a terminal, and argument lines as people type them.
#include "protocol/base/shell_word.h"

#include "tests/support/catch.h"

using namespace ringside;
using Words = std::vector<std::string>;

namespace {

Words words_of(const std::string& line) {
  const auto words = split_words(line);
  REQUIRE(words);
  return *words;
}

std::string problem_of(const std::string& line) {
  const auto words = split_words(line);
  return words ? "" : words.error().message;
}

}  // namespace

TEST_CASE("a word for a shell is quoted only if needed") {
  CHECK(shell_word("plain-1.0/x=y") == "plain-1.0/x=y");
  CHECK(shell_word("it's $(x)") == "'it'\\''s $(x)'");
  CHECK(shell_word("") == "''");
}

TEST_CASE("a command line is split into the same words as by a shell") {
  CHECK(words_of("").empty());
  CHECK(words_of("  \t ").empty());
  CHECK(words_of("--lr 0.1  --name=a") == Words{"--lr", "0.1", "--name=a"});
  CHECK(words_of("--name 'two words' \"and 'more'\"") ==
        Words{"--name", "two words", "and 'more'"});
  CHECK(words_of("--a='b c'd") == Words{"--a=b cd"});
  CHECK(words_of("'' \"\"") == Words{"", ""});
  CHECK(words_of("two\\ words \\\"x\\\"") == Words{"two words", "\"x\""});
  CHECK(words_of("\"a\\\"b\\\\c\\$d\\n\"") == Words{"a\"b\\c$d\\n"});
  CHECK(words_of("'\\n' '$HOME' '~'") == Words{"\\n", "$HOME", "~"});
  CHECK(words_of("a \\\nb") == Words{"a", "b"});
  CHECK(words_of("100$ a*b x~ {1,2}") == Words{"100$", "a*b", "x~", "{1,2}"});
  CHECK(words_of("größe=☃") == Words{"größe=☃"});
}

TEST_CASE("syntax that needs a shell is refused with advice") {
  CHECK(problem_of("--name 'abc") == "The quote ' is not closed.");
  CHECK(problem_of("--name \"abc") == "The quote \" is not closed.");
  CHECK(problem_of("abc\\") == "The line ends with a \\ that escapes nothing.");
  for (const std::string line : {"x > log.txt", "x | tee log", "a && b", "a; b", "$(date)"}) {
    INFO(line);
    CHECK_FALSE(problem_of(line).empty());
  }
  CHECK(problem_of("x > log.txt").starts_with("> needs a shell"));
  CHECK(problem_of("--data $HOME/x").starts_with("$ is not expanded"));
  CHECK(problem_of("\"${HOME}\"").starts_with("$ is not expanded"));
  CHECK(problem_of("`date`").starts_with("` is not expanded"));
  CHECK(problem_of("~/data").starts_with("~ is not expanded"));
}

TEST_CASE("words quoted for a shell are split into the same words again") {
  for (const Words& words :
       {Words{"python3", "train.py", "--name", "two words"}, Words{"", "'", "\"", "\\", "$x", "~"},
        Words{"a\nb", "\t", "|", "☃", "--key=it's"}, Words{}}) {
    CHECK(words_of(shell_words(words)) == words);
  }
}
