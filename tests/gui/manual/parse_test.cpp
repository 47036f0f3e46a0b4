// Markdown is converted to blocks; text that breaks the format is shown as plain text and reported.
#include "gui/manual/parse.h"

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::manual;

namespace {

constexpr const char* kTopic = R"(# Another machine

Runs on a machine that you reach by *ssh*.

## How to run there

Name it with `--on`, as in [the start](start.md#first-run), **not** otherwise; see
[below](#keys--and-more) or [the site](https://example.org/a?b&amp;c).

```sh frozen
ringside run mnist --on ssh://box   # one
  ringside list
```

1. Load the key.
2. Ask **it**.

### Keys, and more

| Key | Number |
|---|---:|
| `a` | 1 |
| b |
)";

template <class T>
const T& block(const Page& page, std::size_t i) {
  REQUIRE(i < page.blocks.size());
  REQUIRE(std::holds_alternative<T>(page.blocks[i]));
  return std::get<T>(page.blocks[i]);
}

std::string faults_of(const std::string& text) {
  std::string all;
  for (const std::string& fault : parse_page("t", text).faults) all += fault + "\n";
  return all;
}

}  // namespace

TEST_CASE("a topic has a title, a sentence about it, and blocks") {
  const Page page = parse_page("ssh", kTopic);
  CHECK(page.faults.empty());
  CHECK(page.topic == "ssh");
  CHECK(page.title == "Another machine");
  CHECK(page.about == "Runs on a machine that you reach by ssh.");
  REQUIRE(page.blocks.size() == 7);
  CHECK(block<Paragraph>(page, 0).text[1] == Run{"ssh", false, true, false, {}});
  CHECK(block<Heading>(page, 1).slug == "how-to-run-there");
  CHECK(block<Heading>(page, 1).level == 2);
  CHECK(block<Code>(page, 3).language == "sh");
  CHECK(block<Code>(page, 3).text == "ringside run mnist --on ssh://box   # one\n  ringside list");
  CHECK(block<Heading>(page, 5).slug == "keys-and-more");
}

TEST_CASE("runs of text keep their style and their link") {
  const Page page = parse_page("ssh", kTopic);
  const Text& text = block<Paragraph>(page, 2).text;
  CHECK(plain(text) == "Name it with --on, as in the start, not otherwise; see below or the site.");
  CHECK(text[1] == Run{"--on", false, false, true, {}});
  CHECK(text[3] == Run{"the start", false, false, false, {"start", "first-run", ""}});
  CHECK(text[5] == Run{"not", true, false, false, {}});
  CHECK(text[7].link == Link{"ssh", "keys--and-more", ""});
  CHECK(text[9].link == Link{"", "", "https://example.org/a?b&c"});
}

TEST_CASE("lists and tables have their items and cells") {
  const Page page = parse_page("ssh", kTopic);
  const auto& list = block<List>(page, 4);
  CHECK(list.numbered);
  CHECK(list.first == 1);
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[1][1] == Run{"it", true, false, false, {}});
  const auto& table = block<Table>(page, 6);
  REQUIRE(table.head.size() == 2);
  CHECK(table.right == std::vector<bool>{false, true});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0][0].front().code);
  CHECK(plain(table.rows[1][1]).empty());
}

TEST_CASE("an example between the items of a list splits it, and the numbering continues") {
  const Page page = parse_page("t",
                               "# T\n\nAbout.\n\n1. One:\n\n   ```sh\n   a\n   ```\n\n"
                               "   More.\n2. Two.\n");
  CHECK(page.faults.empty());
  REQUIRE(page.blocks.size() == 5);
  CHECK(plain(block<List>(page, 1).items.front()) == "One:");
  CHECK(block<Code>(page, 2).text == "a");
  CHECK(plain(block<Paragraph>(page, 3).text) == "More.");
  CHECK(block<List>(page, 4).first == 2);
  CHECK(plain(block<List>(page, 4).items.front()) == "Two.");
}

TEST_CASE("headings with the same text get different ids") {
  const Page page = parse_page("t", "# T\n\nAbout.\n\n## Use it\n\n## Use it\n\n### Use it\n");
  CHECK(block<Heading>(page, 1).slug == "use-it");
  CHECK(block<Heading>(page, 2).slug == "use-it-1");
  CHECK(block<Heading>(page, 3).slug == "use-it-2");
}

TEST_CASE("a section ends at the next heading of the same or a higher level") {
  const Page page = parse_page("t", "# T\n\nAbout.\n\n## A\n\na\n\n### B\n\nb\n\n## C\n\nc\n\nd\n");
  const auto all = sections(page);
  REQUIRE(all.size() == 4);
  CHECK(plain(page, all[0]) == "About.");
  CHECK(plain(page, all[1]) == "A\na\nB\nb");
  CHECK(plain(page, all[2]) == "B\nb");
  CHECK(plain(page, all[3]) == "C\nc\nd");
  CHECK(main_sections(page).size() == 3);
  CHECK(section_of(page, "b").title == "B");
  CHECK(section_of(page, "").end == page.blocks.size());
  CHECK(section_of(page, "none").end == 0);
}

TEST_CASE("text that is not part of the format is reported, and still shown") {
  CHECK(faults_of("# T\n\nAbout.\n").empty());
  CHECK(faults_of("Text.\n").find("not a title") != std::string::npos);
  CHECK(faults_of("# T\n\n## A\n").find("not followed by a sentence") != std::string::npos);
  CHECK(faults_of("# T\n\nA.\n\n# U\n").find("second title") != std::string::npos);
  CHECK(faults_of("# T\n\nA.\n\n#### U\n").find("level 4") != std::string::npos);
  CHECK(faults_of("# T\n\nA.\n\n> q\n").find("quotation") != std::string::npos);
  CHECK(faults_of("# T\n\nA.\n\n- a\n  - b\n").find("in an item of another") != std::string::npos);
  CHECK(faults_of("# T\n\nA ![p](p.png).\n").find("picture") != std::string::npos);
  CHECK(faults_of("# T\n\nA [l](../README.md).\n").find("no topic") != std::string::npos);
  CHECK(faults_of("# T\n\nA &hearts;.\n").find("&hearts;") != std::string::npos);
  CHECK(parse_page("t", "# T\n\nA &amp; <b>.\n").about == "A & <b>.");
  CHECK(parse_page("t", "# T\n\n&#8220;A&#x201D;\n").about == "“A”");
  CHECK(parse_page("t", "").title == "t");
  const std::string noise("\x00\xff# \x80[](](`*_|\n|-|\n1. - > ```\n# T", 33);
  CHECK_NOTHROW(parse_page("t", noise));
}
