#include "gui/view/window/palette.h"

#include <set>

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

std::vector<std::string> titles(const std::vector<PaletteEntry>& entries) {
  std::vector<std::string> result;
  for (const PaletteEntry& entry : entries) result.push_back(entry.title);
  return result;
}

bool offers(const PaletteFacts& facts, const std::string& title) {
  const auto all = titles(palette_entries(facts));
  return std::find(all.begin(), all.end(), title) != all.end();
}

}  // namespace

TEST_CASE("Only what can be done now is offered") {
  PaletteFacts facts;
  CHECK_FALSE(offers(facts, "Export CSV"));
  CHECK_FALSE(offers(facts, "Stop the run…"));
  facts.has_run = true;
  CHECK(offers(facts, "Export CSV"));
  facts.can_stop = true;
  CHECK(offers(facts, "Stop the run…"));
  CHECK(offers(facts, "Pause what is shown"));
  facts.paused = true;
  CHECK(offers(facts, "Back to live"));
  facts.selected = "x";
  CHECK_FALSE(offers(facts, "Replay the selected run"));
  facts.page = Page::kRuns;
  CHECK(offers(facts, "Replay the selected run"));
}

TEST_CASE("Every entry has a name of its own") {
  const std::vector<PresetChoice> presets{{"demo", "Digits", false}, {"mnist", "MNIST", true}};
  std::vector<RunSummary> runs(2);
  runs[0].number = 7;
  runs[0].title = "resnet";
  runs[1].number = 8;
  PaletteFacts facts;
  facts.has_run = true;
  facts.can_stop = true;
  facts.page = Page::kRuns;
  facts.selected = "x";
  facts.presets = presets;
  facts.runs = runs;
  const auto all = titles(palette_entries(facts));
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
  CHECK(offers(facts, "Preset: mnist  MNIST"));
  CHECK(offers(facts, "Preset at quick scale: mnist"));
  CHECK_FALSE(offers(facts, "Preset at quick scale: demo"));
  CHECK(offers(facts, "Open run #7  resnet"));
}

TEST_CASE("Typing a part of a name finds it, words before scattered letters") {
  PaletteFacts facts;
  facts.has_run = true;
  const auto entries = palette_entries(facts);
  CHECK(matching(entries, "").size() == entries.size());
  CHECK(matching(entries, "csv").front().title == "Export CSV");
  CHECK(matching(entries, "EXPORT").front().title == "Export…");
  CHECK(matching(entries, "tensorb").front().title == "Export TensorBoard files");
  CHECK(matching(entries, "html").front().title == "Export an HTML report");
  CHECK(matching(entries, "ecsv").front().title == "Export CSV");
  CHECK(matching(entries, "light").front().title == "Light theme (colours)");
  CHECK(matching(entries, "theme").front().title == "Light theme (colours)");
  CHECK(matching(entries, "qqqq").empty());
  const auto quit = matching(entries, "quit");
  REQUIRE_FALSE(quit.empty());
  CHECK(std::holds_alternative<Quit>(quit.front().command));
}

TEST_CASE("The sheet of keys names each of them once") {
  std::set<std::string> keys;
  for (const KeyHelp& help : key_help()) CHECK(keys.insert(help.keys).second);
  CHECK(keys.size() > 20);
}

TEST_CASE("A picture off the screen is offered where its chart is, a drawing everywhere") {
  PaletteFacts facts;
  facts.has_run = true;
  for (const Page place : {Page::kLaunch, Page::kLive, Page::kRuns}) {
    facts.page = place;
    CHECK(offers(facts, "Save a picture of the loss chart (PNG)") == (place == Page::kLive));
    CHECK(offers(facts, "Save a picture of the loss chart (SVG)"));
  }
}
