// Sections are found by words.
#include "gui/manual/search.h"

#include "gui/manual/parse.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::manual;

namespace {

Manual small_manual() {
  return {{parse_page("waterfall",
                      "# Why it is not faster\n\nThe bars between ideal and measured.\n\n"
                      "## Read it\n\nPress **W**; each bar has a sentence.\n\n"
                      "## Fairness\n\nOther processes took time: the ports are no matter.\n"),
           parse_page("nodes",
                      "# Several nodes\n\nOne run over machines.\n\n## Ports that are opened\n\n"
                      "Gloo listens.\n\n### Without a key\n\nFairness is no matter.\n")}};
}

std::string names(const std::vector<Found>& found) {
  std::string all;
  for (const Found& one : found) all += one.page->topic + "#" + one.section.slug + " ";
  return all;
}

}  // namespace

TEST_CASE("search words are those of the question that are not in every text") {
  CHECK(search_words("How to read the Ports?") == std::vector<std::string>{"read", "port"});
  CHECK(search_words("how do i") == std::vector<std::string>{"how", "do", "i"});
  CHECK(search_words("--set ssh://box") == std::vector<std::string>{"--set", "ssh://box"});
  CHECK(search_words("fairness boxes exporting queued settings") ==
        std::vector<std::string>{"fair", "box", "export", "queu", "sett"});
  CHECK(search_words("less ring speed class") ==
        std::vector<std::string>{"less", "ring", "speed", "class"});
  CHECK(search_words("  ").empty());
}

TEST_CASE("sections with all words are found, with matches in headings first") {
  const Manual manual = small_manual();
  CHECK(names(search(manual, "fairness")) == "waterfall#fairness nodes#ports-that-are-opened ");
  CHECK(names(search(manual, "ports")) == "nodes#ports-that-are-opened waterfall#fairness ");
  CHECK(names(search(manual, "PORTS fairness gloo")) == "nodes#ports-that-are-opened ");
  CHECK(names(search(manual, "machines")) == "nodes# ");
  CHECK(names(search(*manual.find("waterfall"), "sentence")) == "waterfall#read-it ");
  CHECK(search(manual, "").empty());
  CHECK(search(manual, "zeppelin").empty());
}

TEST_CASE("if no section has all words, those with most of them are found") {
  const Manual manual = small_manual();
  const auto found = search(manual, "gloo zeppelin");
  REQUIRE(found.size() == 1);
  CHECK(found.front().words == 1);
  CHECK(found.front().section.slug == "ports-that-are-opened");
}

TEST_CASE("an excerpt has the words around the first match") {
  const Manual manual = small_manual();
  CHECK(search(manual, "matter").front().excerpt ==
        "Other processes took time: the ports are no matter.");
  std::string text = "# T\n\n";
  for (int i = 0; i < 60; ++i) text += "filling ";
  const Manual longer{{parse_page("t", text + "needle " + text.substr(5))}};
  const std::string excerpt = search(longer, "needle").front().excerpt;
  CHECK(excerpt.find("needle") != std::string::npos);
  CHECK(excerpt.starts_with("… filling "));
  CHECK(excerpt.ends_with("filling …"));
  CHECK(excerpt.size() < 140);
}
