// The manual in the window: opening it for the current page, reading, searching and going back.
#include <algorithm>

#include "gui/ui/window/manual_text.h"
#include "gui/view/manual/manual_view.h"
#include "gui/view/window/sheet_labels.h"
#include "tests/gui/ui/made_manual.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

/// The manual sheet, open at a place.
struct OpenManual {
  explicit OpenManual(NullScreen& shown, view::ManualPlace place = {"ssh", ""}) : screen(shown) {
    screen.input.sheets.manual = true;
    screen.input.manual.manual = &manual;
    want(std::move(place));
  }
  void want(view::ManualPlace place) {
    screen.input.manual.wanted = std::move(place);
    ++screen.input.manual.times;
    for (int i = 0; i < 3; ++i) screen.frame();
  }
  void type(const std::string& text) {
    for (const char c : text) ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
    screen.frame();
    screen.frame();
  }

  manual::Manual manual = test::made_manual();
  NullScreen& screen;
};

/// Whether a text of the sheet is visible.
bool shown(const std::string& text) {
  const auto& all = ui::drawn_texts();
  return std::any_of(all.begin(), all.end(), [&text](const auto& one) {
    return one.text == text && !one.visible.empty() && one.window.starts_with("Manual");
  });
}

const view::ManualPlace& read_at(const NullScreen& screen) { return screen.memory.manual.at; }

}  // namespace

TEST_CASE("F1 and the question mark of the rail open the manual's topic about the page") {
  const OpenDemo demo(support::demo_small(2));
  NullScreen screen;
  demo.open(screen.input);
  screen.press(ImGuiKey_F1);
  REQUIRE(screen.asked<view::ShowManual>());
  CHECK(screen.asked<view::ShowManual>()->on);
  CHECK(screen.asked<view::ShowManual>()->topic == "window");
  CHECK(screen.asked<view::ShowManual>()->section == "live");
  screen.input.page = view::Page::kScaling;
  REQUIRE(screen.click(view::label::kManual));
  CHECK(screen.asked<view::ShowManual>()->section == "scaling");
  screen.input.page = view::Page::kLive;
  REQUIRE(screen.click("##log filter"));  // F1 is not typed into the field
  screen.press(ImGuiKey_F1);
  CHECK(screen.asked<view::ShowManual>());
}

TEST_CASE(
    "the question mark of a sheet opens its topic, and closing the manual returns to the sheet") {
  NullScreen screen;
  view::Sheets& sheets = screen.input.sheets;
  const auto help_of = [&screen](bool& sheet, const std::string& topic) {
    sheet = true;
    screen.frame();
    screen.frame();
    INFO(topic);
    REQUIRE(screen.click("Help with " + topic));
    REQUIRE(screen.asked<view::ShowManual>());
    CHECK(screen.asked<view::ShowManual>()->topic == topic);
    screen.press(ImGuiKey_F1);
    CHECK(screen.asked<view::ShowManual>()->topic == topic);
    sheet = false;
    screen.frame();
    screen.frame();
  };
  help_of(sheets.doctor, "doctor");
  help_of(sheets.alerts, "alerts");
  help_of(sheets.machines, "ssh");
  help_of(sheets.settings, "window");
  help_of(sheets.open, "window");
  help_of(sheets.experiment, "experiments");
  help_of(screen.input.exporting.asking, "exports");
  help_of(screen.input.scaling.asking, "studies");
  help_of(sheets.waterfall, "waterfall");
  sheets.doctor = true;
  screen.frame();
  OpenManual manual(screen);
  CHECK(shown("Another machine"));
  CHECK_FALSE(screen.find(view::label::kCloseDoctor));
  screen.press(ImGuiKey_Escape);
  CHECK_FALSE(screen.asked<view::ShowManual>()->on);
  sheets.manual = false;
  screen.frame();
  screen.frame();
  CHECK(screen.find(view::label::kCloseDoctor));
}

TEST_CASE("all elements of a manual page are drawn, and an example can be copied") {
  NullScreen screen;
  OpenManual manual(screen);
  for (const char* text : {"ssh", "code", "bold", "Run there", "--on", "One", "•"}) {
    INFO(text);
    CHECK(shown(text));
  }
  REQUIRE(screen.click("Copy##example 1"));
  CHECK(screen.asked<view::CopyText>()->text.starts_with("ringside run mnist --on ssh://a-"));
  CHECK(screen.asked<view::CopyText>()->text.ends_with("\nringside list"));
  REQUIRE(screen.click("Link the site"));
  CHECK(screen.asked<view::CopyText>()->text == "https://example.org");
  REQUIRE(screen.click(view::label::kCloseManual));
  CHECK_FALSE(screen.asked<view::ShowManual>()->on);
}

TEST_CASE("links and the list lead to other topics and sections, and Back leads back") {
  NullScreen screen;
  OpenManual manual(screen);
  CHECK_FALSE(screen.find(view::label::kManualBack));
  CHECK_FALSE(shown("It heals."));  // far below
  REQUIRE(screen.click("Link below"));
  screen.frame();
  screen.frame();
  CHECK(read_at(screen) == view::ManualPlace{"ssh", "cut"});
  CHECK(shown("It heals."));
  CHECK_FALSE(shown("--on"));
  REQUIRE(screen.click(view::label::kManualBack));
  screen.frame();
  screen.frame();
  CHECK(shown("--on"));
  REQUIRE(screen.click("Link the ports"));
  screen.frame();
  CHECK(read_at(screen) == view::ManualPlace{"nodes", "ports"});
  CHECK(shown("Gloo listens."));
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, true);
  screen.press(ImGuiKey_LeftArrow);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, false);
  screen.frame();
  CHECK(read_at(screen).topic == "ssh");
  REQUIRE(screen.click("Several nodes##nodes#"));
  screen.frame();
  CHECK(read_at(screen) == view::ManualPlace{"nodes", ""});
  REQUIRE(screen.click("Ports##nodes#ports"));
  CHECK(read_at(screen).section == "ports");
}

TEST_CASE("typed text is searched for, results are chosen by keyboard, and Escape clears it") {
  NullScreen screen;
  OpenManual manual(screen);
  manual.type("gloo");  // the field has the focus from the beginning
  CHECK(screen.memory.manual.typed == "gloo");
  CHECK(shown("Ports"));
  CHECK_FALSE(screen.find("Another machine##ssh#"));
  screen.press(ImGuiKey_Enter);
  screen.frame();
  CHECK(read_at(screen) == view::ManualPlace{"nodes", "ports"});
  CHECK(shown("Gloo listens."));
  screen.press(ImGuiKey_Escape);
  CHECK_FALSE(screen.asked<view::ShowManual>());
  CHECK(screen.memory.manual.typed.empty());
  screen.frame();
  screen.frame();
  manual.type("zeppelin");
  CHECK(shown("No matches."));
  screen.press(ImGuiKey_Escape);
  screen.frame();
  screen.press(ImGuiKey_Escape);
  REQUIRE(screen.asked<view::ShowManual>());
  CHECK_FALSE(screen.asked<view::ShowManual>()->on);
}

TEST_CASE("the arrow keys choose among search results and otherwise scroll the page") {
  NullScreen screen;
  OpenManual manual(screen);
  screen.press(ImGuiKey_DownArrow);
  screen.frame();
  CHECK(screen.memory.manual.scroll > 0);
  screen.press(ImGuiKey_PageDown);
  screen.frame();
  CHECK(screen.memory.manual.scroll > 400);
  manual.type("one");
  CHECK(screen.memory.manual.selected == 0);
  screen.press(ImGuiKey_DownArrow);
  CHECK(screen.memory.manual.selected == 1);
  screen.press(ImGuiKey_Enter);
  INFO(read_at(screen).topic << "#" << read_at(screen).section);
  CHECK(read_at(screen) == view::ManualPlace{"nodes", ""});
}

TEST_CASE("in a narrow window the list replaces the page") {
  NullScreen screen(420, 420);
  OpenManual manual(screen);
  CHECK(shown("Another machine"));
  CHECK_FALSE(screen.find("Several nodes##nodes#"));
  REQUIRE(screen.click(view::label::kManualTopics));
  screen.frame();
  REQUIRE(screen.click("Several nodes##nodes#"));
  screen.frame();
  screen.frame();
  CHECK(shown("One run."));
  CHECK_FALSE(screen.find("Several nodes##nodes#"));
}

TEST_CASE("without a manual the sheet gives the reason, and a missing topic is named") {
  NullScreen screen;
  screen.input.sheets.manual = true;
  screen.input.manual.wanted = {"ssh", ""};
  screen.input.manual.times = 1;
  screen.frame();
  screen.frame();
  CHECK(shown("Reading"));
  screen.input.manual.problem = "nothing lies there";
  screen.frame();
  CHECK(shown("nothing"));
  screen.press(ImGuiKey_Escape);
  CHECK_FALSE(screen.asked<view::ShowManual>()->on);
  OpenManual manual(screen, {"slurm", ""});
  CHECK(shown("\"slurm\"."));
  REQUIRE(screen.click("Several nodes##nodes#"));
  screen.frame();
  CHECK(shown("One run."));
}

TEST_CASE("a text is broken between words, and within a word longer than a line") {
  NullScreen screen;
  screen.frame();
  const manual::Text text{{"one "}, {"two", true, false, false, {}}, {", three"}};
  const ui::TextExtent extent = ui::extent_of(text, {});
  CHECK(extent.word < extent.whole);
  CHECK(extent.word >= ui::text_width(ui::Type::kPanel, "two"));
  ui::clear_items();
  ImGui_ImplNullPlatform_NewFrame();
  ImGui_ImplNullRender_NewFrame();
  ImGui::GetIO().DisplaySize = screen.size();
  ImGui::NewFrame();
  ImGui::SetNextWindowSize(ImVec2(800, 800));
  ImGui::Begin("page");
  const float whole = extent.whole + 1;
  CHECK(ui::set_text(1, text, {0, 0, whole, 0}, {}, nullptr) == 20);
  CHECK(ui::set_text(2, text, {0, 0, whole - 2, 0}, {}, nullptr) == 40);
  CHECK(ui::set_text(3, {}, {0, 0, 100, 0}, {}, nullptr) == 0);
  const manual::Text longer{{std::string(100, 'w')}};
  CHECK(ui::set_text(4, longer, {0, 0, 100, 0}, {}, nullptr) > 100);
  ImGui::End();
  ImGui::Render();
}
