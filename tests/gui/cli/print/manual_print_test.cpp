// The manual on a terminal: lines that fit, styles only where they are wanted, and its JSON.
#include "gui/cli/print/manual_print.h"

#include "gui/cli/print/terminal.h"
#include "gui/manual/parse.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::cli;

namespace {

constexpr const char* kTopic = R"(# Another machine

Runs on a machine that you reach by ssh.

## Run there

Name it with `--on`, as in [the start](start.md#first), **not** otherwise. See [the site](https://example.org).

```sh
ringside run mnist --on ssh://a-machine-with-a-very-long-name.example.org:2222 --json
  ringside list
```

- One
- Two of them, which is longer than a line of so few columns can be

### With keys

| Key | Count |
|---|---:|
| `a` | 1 |
)";

manual::Page topic() { return manual::parse_page("ssh", kTopic); }

std::string whole(const Paper& paper) {
  const manual::Page page = topic();
  return section_text(page, manual::section_of(page, ""), paper);
}

}  // namespace

TEST_CASE("a topic is wrapped, except for its examples") {
  const std::string text = whole({40, false});
  for (std::size_t at = 0; at < text.size();) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    INFO(line);
    CHECK((shown_width(line) <= 40 || line.find("a-machine") != std::string::npos));
    CHECK((line.empty() || line.back() != ' '));
    at += line.size() + 1;
  }
  CHECK(
      text.starts_with("Another machine\n\n    Runs on a machine that you reach by\n    ssh.\n\n"
                       "Run there\n    Name it with `--on`, as in the start\n"));
  CHECK(text.find("(help start#first), not otherwise.") != std::string::npos);
  CHECK(text.find("See the site (https://example.org).\n") != std::string::npos);
  CHECK(text.find("\n        ringside run mnist --on ssh://a-machine") != std::string::npos);
  CHECK(text.find("\n          ringside list\n") != std::string::npos);
  CHECK(text.find("\n    - Two of them, which is longer than\n      a line") != std::string::npos);
  CHECK(text.find("\n  With keys\n    Key  Count\n    a        1\n") != std::string::npos);
}

TEST_CASE("terminals get bold and underlined text, other output gets backticks") {
  CHECK(whole({80, false}).find('\x1b') == std::string::npos);
  const std::string text = whole({80, true});
  CHECK(text.starts_with("\x1b[1mAnother machine\x1b[0m"));
  CHECK(text.find("\x1b[1m--on\x1b[0m,") != std::string::npos);
  CHECK(text.find("\x1b[4mthe\x1b[0m \x1b[4mstart\x1b[0m") != std::string::npos);
  CHECK(text.find('`') == std::string::npos);
}

TEST_CASE("a section is printed with its heading and the text below it") {
  const manual::Page page = topic();
  const std::string text = section_text(page, manual::section_of(page, "with-keys"), {80, false});
  CHECK(text == "  With keys\n    Key  Count\n    a        1\n");
}

TEST_CASE("S6: a topic cannot steer the terminal") {
  const auto page =
      manual::parse_page("t", "# T\x1b[2J\n\nA \x1b[2J `\x07`.\n\n```\n\x1b[2J\n```\n");
  const std::string text = section_text(page, manual::section_of(page, ""), {80, false});
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
}

TEST_CASE("topics are listed with a description") {
  const manual::Manual manual{{topic(), manual::parse_page("a", "# A\n\nAbout a.\n")}};
  CHECK(topics_text(manual, {30, false}) ==
        "  ssh  Runs on a machine that\n       you reach by ssh.\n  a    About a.\n");
  const Json json = topics_json(manual);
  REQUIRE(json.size() == 2);
  CHECK(json[0]["topic"] == "ssh");
  CHECK(json[0]["about"] == "Runs on a machine that you reach by ssh.");
  CHECK(json[0]["sections"][1]["section"] == "with-keys");
  CHECK(json[0]["sections"][1]["level"] == 3);
}

TEST_CASE("a topic as JSON has its blocks") {
  const manual::Page page = topic();
  const Json json = page_json(page, manual::section_of(page, ""));
  CHECK(json["title"] == "Another machine");
  const Json& blocks = json["blocks"];
  REQUIRE(blocks.size() == 7);
  CHECK(blocks[1] ==
        Json{{"kind", "heading"}, {"level", 2}, {"section", "run-there"}, {"text", "Run there"}});
  CHECK(blocks[3]["language"] == "sh");
  CHECK(blocks[4]["items"][0] == "One");
  CHECK(blocks[6]["rows"][0][1] == "1");
}

TEST_CASE("search results are named so that they can be requested") {
  const manual::Manual manual{{topic()}};
  const auto found = manual::search(manual, "columns");
  CHECK(found_text(found, {80, false}) ==
        "help ssh#run-there  Another machine › Run there\n"
        "    Two of them, which is longer than a line of so few columns can be\n");
  CHECK(found_json(found)[0]["section"] == "run-there");
}
