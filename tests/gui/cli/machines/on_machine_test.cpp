#include "gui/cli/machines/on_machine.h"

#include "tests/support/catch.h"

using namespace ringside;
using Words = std::vector<std::string>;

TEST_CASE("the command line for another machine is the one here without --on") {
  CHECK(cli::without_on({"list", "--on", "ssh://box", "--json"}) == Words{"list", "--json"});
  CHECK(cli::without_on({"--runs-dir", "/r", "list", "--on=ssh://box"}) ==
        Words{"--runs-dir", "/r", "list"});
  CHECK(cli::without_on({"show", "last"}) == Words{"show", "last"});
  // A command after the dashes has options of its own.
  CHECK(cli::without_on({"run", "--on", "ssh://box", "--", "x", "--on", "y"}) ==
        Words{"run", "--", "x", "--on", "y"});
}

TEST_CASE("a settings file is sent along and read from standard input on the other machine") {
  CHECK(cli::with_input({"run", "my.toml", "--json"}, "my.toml") ==
        Words{"run", "/dev/stdin", "--json"});
  CHECK(cli::with_input({"run", "--name", "my.toml", "my.toml"}, "my.toml") ==
        Words{"run", "--name", "my.toml", "/dev/stdin"});
  CHECK(cli::with_input({"run", "--quick", "./my.toml"}, "./my.toml") ==
        Words{"run", "--quick", "/dev/stdin"});
  CHECK(cli::with_input({"doctor", "--links", "--preset", "my.toml"}, "my.toml") ==
        Words{"doctor", "--links", "--preset", "/dev/stdin"});
  CHECK(cli::with_input({"doctor", "--links", "--preset=my.toml"}, "my.toml") ==
        Words{"doctor", "--links", "--preset=/dev/stdin"});
  CHECK(cli::with_input({"run", "--", "my.toml"}, "my.toml") == Words{"run", "--", "my.toml"});
}
