// The button that names the machine, and the sheet that chooses another.
#include <algorithm>
#include <map>

#include "gui/view/window/machine_view.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::test;

TEST_CASE("the machine is on every page, at every size, and opens the sheet of machines") {
  for (const auto& [width, height] :
       {std::pair(1600.0F, 900.0F), {1280.0F, 720.0F}, {640.0F, 480.0F}}) {
    NullScreen screen(width, height);
    for (const view::Page page : {view::Page::kLive, view::Page::kScaling, view::Page::kRuns}) {
      INFO(width);
      screen.input.page = page;
      REQUIRE(screen.click(view::label::kChooseMachine));
      CHECK(screen.asked<view::ShowMachines>());
    }
  }
}

TEST_CASE("the open run has its number, name, state and machine in the same place on every page") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen;
  demo.open(screen.input);
  screen.input.live.context.name = "night run";
  screen.input.live.context.newer = 2;
  screen.input.live.context.contact = view::Contact::kReplay;
  screen.input.live.context.replaying = true;
  screen.input.live.context.replay_speed = 4;
  screen.input.machine.name = "ssh://box";
  std::map<std::string, ui::Rect> first;
  for (const view::Page page :
       {view::Page::kLive, view::Page::kLaunch, view::Page::kScaling, view::Page::kSampler,
        view::Page::kRuns, view::Page::kTimeline, view::Page::kMachines}) {
    screen.input.page = page;
    for (int i = 0; i < 2; ++i) screen.frame();
    for (const std::string part : {"#1042", "night run", "2 newer runs", "Replay 4×", "box"}) {
      INFO(part << " on page " << static_cast<int>(page));
      const auto& texts = ui::drawn_texts();
      const auto drawn = std::ranges::find_if(texts, [&part](const ui::DrawnText& text) {
        return text.visible.y < 48 && text.text.starts_with(part);
      });
      REQUIRE(drawn != texts.end());
      const auto [place, fresh] = first.try_emplace(part, drawn->area);
      CHECK(place->second.x == drawn->area.x);
      CHECK(place->second.y == drawn->area.y);
    }
  }
}

TEST_CASE("a key opens the sheet in which a known machine is clicked or another one is typed") {
  const std::vector<std::string> known{"ssh://box", "ssh://far"};
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.input.machine.known = known;
  screen.frame();
  screen.press(ImGuiKey_M, true);
  REQUIRE(screen.asked<view::ShowMachines>());
  CHECK(screen.asked<view::ShowMachines>()->on);
  screen.input.sheets.machines = true;
  screen.frame();
  screen.frame();
  SECTION("clicked") {
    REQUIRE(screen.click("far"));
    REQUIRE(screen.asked<view::SelectMachine>());
    CHECK(screen.asked<view::SelectMachine>()->address == "ssh://far");
    CHECK_FALSE(screen.asked<view::ShowMachines>()->on);
  }
  SECTION("typed") {
    REQUIRE(screen.click("##machine"));
    ImGui::GetIO().AddInputCharactersUTF8("me@lab:2222");
    screen.frame();
    screen.frame();
    screen.press(ImGuiKey_Enter);
    REQUIRE(screen.asked<view::SelectMachine>());
    CHECK(screen.asked<view::SelectMachine>()->address == "ssh://me@lab:2222");
  }
  SECTION("closed") {
    screen.press(ImGuiKey_Escape);
    CHECK_FALSE(screen.asked<view::SelectMachine>());
    CHECK_FALSE(screen.asked<view::ShowMachines>()->on);
  }
}

TEST_CASE("a key also opens the dialog to watch another tool's files") {
  NullScreen screen;
  screen.input.page = view::Page::kRuns;
  screen.frame();
  screen.press(ImGuiKey_O, true, true);
  CHECK(screen.asked<view::WatchFolder>());
  CHECK_FALSE(screen.asked<view::ShowOpenRun>());
}
