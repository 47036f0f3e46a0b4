// Tables that are wider than their panel.
#include "gui/ui/table.h"

#include <algorithm>
#include <set>
#include <string>

#include "gui/view/live/rank_table.h"
#include "tests/gui/ui/null_screen.h"
#include "tests/support/catch.h"

using namespace ringside;
using test::NullScreen;
using test::OpenDemo;

namespace {

const std::string kFirstHead = "Sort by Rank";

std::set<std::string> heads_seen() {
  std::set<std::string> heads;
  for (const ui::Item& item : ui::items())
    if (item.label.starts_with("Sort by ")) heads.insert(item.label);
  return heads;
}

}  // namespace

TEST_CASE("a table scrolls sideways to every chosen column, and the first one stays") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen(1200, 800);
  demo.open(screen.input);
  std::set<std::string> chosen;
  for (const char* key : {"lr", "samples", "data_wait", "host_to_device", "forward", "backward",
                          "exposed_comm", "optimizer", "step_time", "loss_scale"}) {
    screen.memory.arrangement.rank_columns.toggle(key);
    for (const view::TableColumn& column : view::rank_columns())
      if (column.key == key) chosen.insert("Sort by " + view::head_text(column));
  }
  screen.frame();
  screen.frame();
  const auto rank = screen.find(kFirstHead);
  REQUIRE(rank);
  auto seen = heads_seen();
  const std::size_t at_once = seen.size();
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(rank->area.middle_x(), rank->area.middle_y());
  for (int i = 0; i < 60; ++i) {
    io.AddMouseWheelEvent(-1, 0);
    screen.frame();
    seen.merge(heads_seen());
    REQUIRE(screen.find(kFirstHead));
    CHECK(screen.find(kFirstHead)->area.x == rank->area.x);
  }
  CHECK(seen.size() > at_once);
  CHECK(std::includes(seen.begin(), seen.end(), chosen.begin(), chosen.end()));
  // The wheel scrolls to the end and no further; Shift and the wheel scroll back.
  const auto at_the_end = heads_seen();
  CHECK(at_the_end.size() > 1);
  io.AddKeyEvent(ImGuiMod_Shift, true);
  io.AddMouseWheelEvent(0, 100);
  screen.frame();
  io.AddKeyEvent(ImGuiMod_Shift, false);
  screen.frame();
  CHECK(heads_seen() != at_the_end);
  CHECK(screen.find("Sort by State"));
}

TEST_CASE("percentiles below many ranks leave room for the rows of a low table") {
  const OpenDemo demo(support::demo_small(64));
  const view::Table ranks = view::build_rank_table(demo.model, view::RunContext()).table;
  REQUIRE(ranks.totals.size() > 1);
  NullScreen screen(1200, 800);
  const auto totals_drawn = [&](float height) {
    ui::clear_items();
    ImGui_ImplNullPlatform_NewFrame();
    ImGui_ImplNullRender_NewFrame();
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({1200, 800});
    ImGui::Begin("of that height");
    (void)ui::draw_table("rows", ranks, {0, 0, 1200, height});
    ImGui::End();
    ImGui::Render();
    std::set<std::string> seen;
    for (const ui::DrawnText& text : ui::drawn_texts())
      for (const view::TableRow& row : ranks.totals)
        if (text.text == row.cells.front().text) seen.insert(row.key);
    return seen;
  };
  CHECK(totals_drawn(400) == std::set<std::string>{"All", "p5", "p50", "p95"});
  CHECK(totals_drawn(120) == std::set<std::string>{"All"});
}

TEST_CASE("a table that fits has no horizontal scroll bar") {
  const OpenDemo demo(support::demo_run());
  NullScreen screen(2560, 1440);
  demo.open(screen.input);
  screen.frame();
  const auto rank = screen.find(kFirstHead);
  REQUIRE(rank);
  const auto before = heads_seen();
  ImGui::GetIO().AddMousePosEvent(rank->area.middle_x(), rank->area.middle_y());
  ImGui::GetIO().AddMouseWheelEvent(-5, 0);
  screen.frame();
  CHECK(heads_seen() == before);
}
