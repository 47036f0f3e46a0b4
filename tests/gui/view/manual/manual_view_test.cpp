// Tests the content of the manual's sheet, and the topic of each part of the window.
#include "gui/view/manual/manual_view.h"

#include <set>

#include "gui/analysis/scaling/waterfall.h"
#include "gui/manual/parse.h"
#include "gui/model/metric.h"
#include "gui/view/manual/terms.h"
#include "gui/view/scaling/waterfall_view.h"
#include "gui/view/window/help_subject.h"
#include "gui/view/window/manual_pages.h"
#include "gui/view/window/palette.h"
#include "gui/view/window/screen_input.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::view;

namespace {

manual::Manual made_manual() {
  return {
      {manual::parse_page("ssh",
                          "# Another machine\n\nRuns **there**.\n\n## Keys <b>\n\nUse `ssh-add`; "
                          "see [nodes](nodes.md#ports).\n\n```sh\na < b\n```\n\n## Cut\n\nIt "
                          "\"heals\".\n"),
       manual::parse_page("nodes",
                          "# Several nodes\n\nOne run.\n\n## Ports\n\n1. One\n2. *Two*\n\n"
                          "| A | B |\n|---|---:|\n| x | 1 |\n")}};
}

std::string titles(const ManualView& view) {
  std::string all;
  for (const ManualEntry& entry : view.entries)
    all += std::string(entry.level > 0 ? "  " : "") + entry.title + (entry.on ? "*" : "") + "\n";
  return all;
}

bool page_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("topics are listed with the sections of the open topic") {
  const manual::Manual manual = made_manual();
  ManualInput input;
  input.manual = &manual;
  const ManualView view = build_manual_view(input, "", {"ssh", "cut"});
  CHECK(titles(view) == "Another machine\n  Keys <b>\n  Cut*\nSeveral nodes\n");
  CHECK(view.title == "Another machine");
  CHECK(view.page == manual.find("ssh"));
  CHECK(view.entries[1].place == ManualPlace{"ssh", "keys-b"});
  CHECK(titles(build_manual_view(input, " ", {"nodes", ""})) ==
        "Another machine\nSeveral nodes*\n  Ports\n");
}

TEST_CASE("search results replace the list of topics") {
  const manual::Manual manual = made_manual();
  ManualInput input;
  input.manual = &manual;
  const ManualView view = build_manual_view(input, "one", {"ssh", ""});
  CHECK(titles(view) == "Several nodes\nPorts\n");
  CHECK(view.entries[1].aside == "Several nodes");
  CHECK(view.entries[0].aside.empty());
  CHECK(view.entries[0].words == "One run.");
  const ManualView none = build_manual_view(input, "zeppelin", {"ssh", ""});
  CHECK(none.entries.empty());
  CHECK(none.no_entries == "No matches.");
  CHECK(none.page != nullptr);
}

TEST_CASE("a manual that is loading, is absent or lacks a topic says so") {
  ManualInput input;
  CHECK(page_has(build_manual_view(input, "", {"ssh", ""}).empty, "Reading"));
  CHECK_FALSE(build_manual_view(input, "", {"ssh", ""}).failed);
  input.problem = "cannot read the manual in /nowhere";
  CHECK(build_manual_view(input, "", {"ssh", ""}).empty == input.problem);
  CHECK(build_manual_view(input, "", {"ssh", ""}).failed);
  const manual::Manual manual = made_manual();
  input = {};
  input.manual = &manual;
  const ManualView view = build_manual_view(input, "", {"slurm", ""});
  CHECK(view.page == nullptr);
  CHECK(view.failed);
  CHECK(page_has(view.empty, "\"slurm\""));
  CHECK(view.entries.size() == 2);
}

TEST_CASE("every page and sheet of the window has an existing section of the manual") {
  const auto manual = read_whole_manual();
  REQUIRE(manual);
  for (int i = 0; i < static_cast<int>(HelpSubject::kCount); ++i) {
    const ManualPlace place = manual_place(static_cast<HelpSubject>(i));
    INFO(place.topic << "#" << place.section);
    const manual::Page* const page = manual->find(place.topic);
    REQUIRE(page != nullptr);
    CHECK(manual::section_of(*page, place.section).end > 0);
  }
}

TEST_CASE("every explained word has a text or a hint, a unique name, and an existing section") {
  const auto manual = read_whole_manual();
  REQUIRE(manual);
  std::set<std::string> names;
  for (const Term& term : terms()) {
    INFO(term.keys << " " << term.names);
    const manual::Page* const page = manual->find(term.topic);
    REQUIRE(page != nullptr);
    CHECK(manual::section_of(*page, term.section).end > 0);
    CHECK((term.text.empty() || term.text.ends_with('.')));
    for (const std::string& name : names_of(term)) {
      CHECK(names.insert(name).second);
      CHECK(named_term(name) == &term);
    }
  }
  REQUIRE(column_term("nodes", "clock") != nullptr);
  CHECK(column_term("nodes", "clock") != column_term("devices", "clock"));
  CHECK(column_term("ranks", "no_such") == nullptr);
  CHECK(named_term("STRAGGLER") == column_term("ranks", "last"));
}

TEST_CASE("every metric of a step, and every part of one, is explained") {
  for (const model::MetricInfo& info : model::kMetricInfos) {
    if (info.label.empty()) continue;
    INFO(info.key);
    CHECK(column_term("ranks", info.key) != nullptr);
  }
  for (int i = 0; i < static_cast<int>(analysis::Loss::kCount); ++i) {
    INFO(loss_word(static_cast<analysis::Loss>(i)));
    CHECK(named_term(loss_word(static_cast<analysis::Loss>(i))) != nullptr);
  }
}

TEST_CASE("help is about the open sheet, or about the page if none is open") {
  ScreenInput input;
  CHECK(help_subject(input) == HelpSubject::kLaunch);
  input.page = Page::kSampler;
  CHECK(help_subject(input) == HelpSubject::kSampler);
  input.page = Page::kRuns;
  CHECK(help_subject(input) == HelpSubject::kRuns);
  input.runs.choice.marked = {"a", "b"};
  CHECK(help_subject(input) == HelpSubject::kCompare);
  input.sheets.waterfall = true;
  CHECK(help_subject(input) == HelpSubject::kWaterfall);
  input.sheets.waterfall = false;
  input.sheets.tries = true;
  CHECK(help_subject(input) == HelpSubject::kTries);
  input.exporting.asking = true;
  CHECK(help_subject(input) == HelpSubject::kExport);
  ScreenInput launch;
  SlurmForm slurm;
  launch.launch.slurm = &slurm;
  CHECK(help_subject(launch) == HelpSubject::kLaunch);
  slurm.set_options({});
  CHECK(help_subject(launch) == HelpSubject::kSlurm);
}

TEST_CASE("the command palette lists every topic, and help on the current page") {
  const manual::Manual manual = made_manual();
  PaletteFacts facts;
  facts.manual = &manual;
  facts.help = {"window", "live"};
  const auto entries = palette_entries(facts);
  const auto found = matching(entries, "Help: Several nodes");
  REQUIRE(!found.empty());
  REQUIRE(as<ShowManual>(found.front().command) != nullptr);
  CHECK(as<ShowManual>(found.front().command)->topic == "nodes");
  const auto shown = matching(entries, label::kHelpEntry);
  CHECK(as<ShowManual>(shown.front().command)->section == "live");
}
