// Tests the Machines page: rows are chosen and watched, and the place of the next run is chosen.
#include "gui/ui/window/machines_page.h"

#include "gui/view/window/machine_board.h"
#include "tests/gui/ui/made_board.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;

namespace {

struct BoardScreen {
  explicit BoardScreen(ImVec2 size = {1600, 900}) : screen(size.x, size.y) {
    screen.input.page = view::Page::kMachines;
    screen.input.board.machines = machines;
    screen.input.board.revision = 1;
    screen.frame();
  }
  void choose(const std::string& row) {
    screen.input.board.selected = row;
    ++screen.input.board.revision;
  }

  std::vector<view::BoardMachine> machines = test::made_board();
  NullScreen screen;
};

}  // namespace

TEST_CASE("a row of the board is chosen by the mouse and the arrows, and watched by its box") {
  BoardScreen rig;
  NullScreen& screen = rig.screen;
  REQUIRE(screen.click("Machine login"));
  CHECK(screen.asked<view::PickMachine>()->row == "ssh://login");
  screen.press(ImGuiKey_DownArrow);
  CHECK(screen.asked<view::PickMachine>()->row == "ssh://login");
  rig.choose("ssh://login");
  screen.press(ImGuiKey_DownArrow);
  CHECK(screen.asked<view::PickMachine>()->row == "ssh://login gpu");
  REQUIRE(screen.click("Watch unasked"));
  CHECK(screen.asked<view::WatchMachine>()->address == "ssh://unasked");
  CHECK(screen.asked<view::WatchMachine>()->on);
  REQUIRE(screen.click("Watch login"));
  CHECK_FALSE(screen.asked<view::WatchMachine>()->on);
  REQUIRE(screen.click(view::label::kAskAll));
  CHECK(screen.asked<view::AskMachines>());
}

TEST_CASE(
    "the next run goes to the chosen machine or partition, or to the first with free devices") {
  BoardScreen rig;
  NullScreen& screen = rig.screen;
  rig.choose("ssh://unasked");
  REQUIRE(screen.click(view::label::kLaunchHere));
  CHECK(screen.asked<view::SelectMachine>()->address == "ssh://unasked");
  CHECK(screen.asked<view::SelectMachine>()->page == view::Page::kLaunch);
  REQUIRE(screen.click(view::label::kItsRuns));
  CHECK(screen.asked<view::SelectMachine>()->page == view::Page::kRuns);
  REQUIRE(screen.click(view::label::kLaunchThere));
  CHECK(screen.asked<view::SelectMachine>()->address.empty());
  rig.machines[0].use->gpus.clear();
  screen.input.board.need = {"cuda", 1};
  rig.choose("ssh://login gpu");
  REQUIRE(screen.click(view::label::kLaunchThere));
  CHECK(screen.asked<view::SelectMachine>()->address == "ssh://login");
  CHECK(screen.asked<view::SelectMachine>()->partition.empty());
  REQUIRE(screen.click(view::label::kLaunchHere));
  CHECK(screen.asked<view::SelectMachine>()->partition == "gpu");
  screen.input.board.need = {"cuda", 9};
  screen.frame();
  screen.click(view::label::kLaunchThere);
  CHECK_FALSE(screen.asked<view::SelectMachine>());
}

TEST_CASE("keys watch the chosen machine and launch on it") {
  BoardScreen rig;
  NullScreen& screen = rig.screen;
  rig.choose("ssh://unasked");
  screen.press(ImGuiKey_Space);
  CHECK(screen.asked<view::WatchMachine>()->address == "ssh://unasked");
  screen.press(ImGuiKey_Enter);
  CHECK(screen.asked<view::SelectMachine>()->address == "ssh://unasked");
  CHECK(screen.asked<view::SelectMachine>()->page == view::Page::kLaunch);
  screen.press(ImGuiKey_7);
  CHECK(screen.asked<view::SelectPage>()->page == view::Page::kMachines);
}

TEST_CASE("a board without machines, and one with this machine only, are drawn") {
  NullScreen screen;
  screen.input.page = view::Page::kMachines;
  screen.frame();
  screen.press(ImGuiKey_Enter);
  CHECK_FALSE(screen.asked<view::SelectMachine>());
  const std::vector<view::BoardMachine> alone{{}};
  screen.input.board.machines = alone;
  ++screen.input.board.revision;
  screen.frame();
  CHECK(std::ranges::any_of(ui::drawn_texts(), [](const ui::DrawnText& text) {
    return text.text.find("~/.ssh/config") != std::string::npos;
  }));
}
