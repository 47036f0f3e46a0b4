#include "gui/view/window/palette.h"

#include <set>

#include "gui/view/live/stack_view.h"
#include "gui/view/window/top_bar.h"
#include "protocol/base/text.h"
#include "tests/gui/view/demo_models.h"
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

TEST_CASE("Only actions that are possible now are offered") {
  PaletteFacts facts;
  CHECK_FALSE(offers(facts, label::kExportCsv));
  CHECK_FALSE(offers(facts, label::kStopRun));
  CHECK_FALSE(offers(facts, "Table panel: Metrics"));
  facts.has_run = true;
  facts.page = Page::kLive;
  CHECK(offers(facts, label::kExportCsv));
  CHECK(offers(facts, "Table panel: Metrics"));
  facts.can_stop = true;
  CHECK(offers(facts, label::kStopRun));
  CHECK(offers(facts, label::kPauseDisplay));
  facts.paused = true;
  CHECK(offers(facts, label::kBackToLive));
  CHECK_FALSE(offers(facts, label::kAllStacks));
  const std::vector<Rank> ranks{0, 1};
  facts.ranks = ranks;
  CHECK(offers(facts, label::kAllStacks));
  CHECK(offers(facts, stack_entry(1)));
  facts.selected = "x";
  CHECK_FALSE(offers(facts, label::kReplaySelected));
  facts.page = Page::kRuns;
  CHECK(offers(facts, label::kReplaySelected));
}

TEST_CASE("Every entry has a unique name") {
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
  CHECK(offers(facts, std::string(label::kPresetQuick) + "mnist"));
  CHECK_FALSE(offers(facts, std::string(label::kPresetQuick) + "demo"));
  CHECK(offers(facts, "Open run #7  resnet"));
}

TEST_CASE("terms of the field are found, and lead to their section of the manual") {
  for (const char* word : {"straggler", "efficiency", "exposed communication", "data wait"}) {
    const auto found = matching(palette_entries({}), word);
    INFO(word);
    REQUIRE_FALSE(found.empty());
    CHECK(found.front().title.starts_with(label::kExplain));
    const auto* const manual = as<ShowManual>(found.front().command);
    REQUIRE(manual != nullptr);
    CHECK_FALSE(manual->section.empty());
  }
}

TEST_CASE("actions of Compare are offered while runs are compared") {
  const auto a = support::model_of(support::demo_small(2));
  const std::vector<ComparedRun> runs{{&a, support::ended_context(a)},
                                      {&a, support::ended_context(a)}};
  PaletteFacts facts;
  facts.page = Page::kRuns;
  const std::string fold = std::string(label::kCompareEntry) + "fold repeats";
  CHECK_FALSE(offers(facts, fold));
  facts.compared = runs;
  CHECK(offers(facts, fold));
  CHECK(offers(facts, std::string(label::kCompareEntry) + "all settings"));
  CHECK(offers(facts, std::string(label::kCompareEntry) + "chart of Train loss"));
  CHECK_FALSE(offers(facts, std::string(label::kCompareEntry) + "x axis Epoch"));  // current
  const auto found = matching(palette_entries(facts), "chart of grad");
  REQUIRE_FALSE(found.empty());
  REQUIRE(as<SetCompare>(found.front().command) != nullptr);
  CHECK(as<SetCompare>(found.front().command)->choice.chart == "grad_norm");
  facts.page = Page::kLive;
  CHECK_FALSE(offers(facts, fold));
}

TEST_CASE("Letters scattered over a name do not find it, other words for it do") {
  PaletteFacts facts;
  const auto entries = palette_entries(facts);
  CHECK(matching(entries, "sweep").front().title == label::kNewStudyEntry);
  CHECK(matching(entries, "study new").front().title == label::kNewStudyEntry);
  CHECK(matching(entries, "resume").empty());  // no run is open
  CHECK(matching(entries, "gtru").front().title == label::kGoToRuns);
  for (const PaletteEntry& entry : matching(entries, "stop"))
    CHECK(lower_case(entry.title).find("stop") != std::string::npos);
}

TEST_CASE("Typing part of a name finds it, and whole words come before scattered letters") {
  PaletteFacts facts;
  facts.has_run = true;
  const auto entries = palette_entries(facts);
  CHECK(matching(entries, "").size() == entries.size());
  CHECK(matching(entries, "csv").front().title == label::kExportCsv);
  CHECK(matching(entries, "EXPORT").front().title == label::kExport);
  CHECK(matching(entries, "tensorb").front().title == label::kExportTensorBoard);
  CHECK(matching(entries, "html").front().title == label::kExportHtml);
  CHECK(matching(entries, "ecsv").front().title == label::kExportCsv);
  CHECK(matching(entries, "light").front().title == label::kLightTheme);
  CHECK(matching(entries, "theme").front().title == label::kLightTheme);
  CHECK(matching(entries, "qqqq").empty());
  const auto quit = matching(entries, "quit");
  REQUIRE_FALSE(quit.empty());
  CHECK(as<Quit>(quit.front().command) != nullptr);
}

TEST_CASE("The sheet of keys lists each key once") {
  std::set<std::string> keys;
  for (const KeyHelp& help : key_help()) CHECK(keys.insert(help.keys).second);
  CHECK(keys.size() > 20);
}

TEST_CASE("A PNG of a chart is offered on the page that shows it, an SVG everywhere") {
  PaletteFacts facts;
  facts.has_run = true;
  for (const Page place : {Page::kLaunch, Page::kLive, Page::kSampler, Page::kRuns}) {
    facts.page = place;
    CHECK(offers(facts, label::kSaveLossPng) == (place == Page::kLive));
    CHECK(offers(facts, label::kSaveLossSvg));
  }
}

TEST_CASE("A run can be sent to the machine with free devices, if there is one") {
  PaletteFacts facts;
  const std::string entry = std::string(label::kLaunchWhereFree) + ": box: 3 of 4 GPUs free";
  CHECK_FALSE(offers(facts, entry));
  CHECK_FALSE(offers(facts, label::kAskMachines));
  facts.room = FreePlace{"ssh://box", "box: 3 of 4 GPUs free"};
  facts.page = Page::kMachines;
  CHECK(offers(facts, entry));
  CHECK(offers(facts, label::kAskMachines));
}

TEST_CASE("Every other machine can be chosen, and this machine while another is shown") {
  const std::vector<std::string> machines{"ssh://box", "ssh://far"};
  PaletteFacts facts;
  facts.machines = machines;
  const std::string entry = label::kMachineEntry;
  CHECK_FALSE(offers(facts, entry + label::kThisOne));
  CHECK(offers(facts, entry + "ssh://box"));
  facts.machine = "ssh://box";
  CHECK(offers(facts, entry + label::kThisOne));
  CHECK_FALSE(offers(facts, entry + "ssh://box"));
  CHECK(offers(facts, entry + "ssh://far"));
}
