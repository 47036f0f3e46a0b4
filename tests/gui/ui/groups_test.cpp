// The Groups tab on the screen: folding, marking, copying its table, help, and its layout in every
// window size.
#include <algorithm>

#include "gui/view/window/palette.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/gui/view/groups/made_groups.h"
#include "tests/support/catch.h"

using namespace ringside;
using support::MadeRun;
using test::NullScreen;

namespace {

void open(const MadeRun& run, NullScreen& screen,
          const std::string& id = "20261121T134005Z-7f3a1c") {
  const model::RunModel& model = run.model();
  screen.input.page = view::Page::kLive;
  screen.input.live.model = &model;
  screen.input.live.context.id = id;
  screen.input.live.context.contact = view::Contact::kEnded;
  screen.input.live.context.now_ns = model.last_ns();
  screen.input.live.chart_revision = model.revision();
  screen.input.live.number_revision = model.revision();
}

}  // namespace

TEST_CASE("a click unfolds a row, marks the ranks of a group, and shows one rank in the charts") {
  const MadeRun run = support::run_of({.mesh = support::hsdp_2x2(), .late = 2});
  NullScreen screen;
  open(run, screen);
  REQUIRE(screen.click(view::name_of(view::TableTab::kGroups)));
  CHECK(screen.find("Mesh r3"));
  const auto& groups = screen.memory.live.groups;
  REQUIRE(screen.click("Group row dp_shard/all-gather"));
  CHECK(groups.open.contains("dp_shard/all-gather"));
  screen.frame();
  const auto& items = ui::items();
  const auto inner = std::find_if(items.begin(), items.end(), [](const ui::Item& item) {
    return item.label.starts_with("Group row ") && item.label.find('/') == item.label.npos;
  });
  REQUIRE(inner != items.end());
  const std::string label = inner->label;
  REQUIRE(screen.click(label));
  CHECK("Group row " + groups.chosen == label);
  REQUIRE(screen.click("Mesh r3"));
  CHECK(screen.asked<view::ShowOnlyRank>()->rank == 3);
  REQUIRE(screen.click("Copy##table"));
  const std::string copied = screen.asked<view::CopyText>()->text;
  CHECK(copied.starts_with("Group\tRanks\tOperation"));
  // Every group has its line, whether folded or not.
  CHECK(std::count(copied.begin(), copied.end(), '\n') == 7);
}

TEST_CASE("marks of one run do not apply to another") {
  const MadeRun run = support::run_of({.mesh = support::hsdp_2x2()});
  NullScreen screen;
  open(run, screen);
  screen.memory.live.table_tab = view::TableTab::kGroups;
  REQUIRE(screen.click("Group row dp_shard/all-gather"));
  CHECK_FALSE(screen.memory.live.groups.open.empty());
  open(run, screen, "20261121T134005Z-000002");
  screen.frame();
  CHECK(screen.memory.live.groups == view::GroupsChoice{});
}

TEST_CASE("help on the Groups tab opens the topic about groups") {
  const MadeRun run = support::run_of({.mesh = support::hsdp_2x2(), .steps = 2});
  NullScreen screen;
  open(run, screen);
  screen.memory.live.table_tab = view::TableTab::kGroups;
  screen.press(ImGuiKey_F1);
  REQUIRE(screen.asked<view::ShowManual>());
  CHECK(screen.asked<view::ShowManual>()->topic == "scripts");
  CHECK(screen.asked<view::ShowManual>()->section == "see-what-ranks-do-together");
  screen.memory.live.table_tab = view::TableTab::kRanks;
  screen.press(ImGuiKey_F1);
  CHECK(screen.asked<view::ShowManual>()->topic == "window");
}

TEST_CASE("64 ranks in 16 groups can be reached in both themes and at every text size") {
  const MadeRun run = support::run_of({.mesh = support::hsdp_8x8(), .steps = 30, .late = 37});
  const float scale = GENERATE(0.75F, 1.5F, 3.0F);
  const bool light = GENERATE(false, true);
  NullScreen screen(1600 * std::max(1.0F, scale), 900 * std::max(1.0F, scale), scale, light);
  open(run, screen);
  screen.memory.live.table_tab = view::TableTab::kGroups;
  REQUIRE(screen.click("Group row dp_replicate/all-reduce"));
  screen.frame();
  CHECK(screen.find("Mesh r0"));
  CHECK(screen.find("Group row dp_replicate/all-reduce"));
  const auto first = screen.find("Mesh r0");
  ImGui::GetIO().AddMousePosEvent(first->area.middle_x(), first->area.middle_y());
  for (int i = 0; i < 60 && !screen.find("Mesh r63"); ++i) {
    ImGui::GetIO().AddMouseWheelEvent(0, -2);
    screen.frame();
  }
  CHECK(screen.find("Mesh r63"));
}
